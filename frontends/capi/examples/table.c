/* Plays a deal against a bot, and follows its hints. The program reads the files of the bot itself.
   cargo build --release -p troel-capi
   cc -Ifrontends/capi/include frontends/capi/examples/table.c target/release/libtroel_capi.a -lm -o table
   ./table checkpoints/wiezen-v5/bot.toml checkpoints/wiezen-v5/model.safetensors wiezen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <troel.h>

static unsigned char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long size = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
        rewind(file);
        bytes = malloc((size_t)size);
        if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) fclose(file);
    *length = (size_t)size;
    return bytes;
}

/* Returns the last of the messages, which has the current state of the table. A real program would
   use a JSON library. */
static const char *last(const char *messages) {
    const char *found = messages, *next = messages;
    while ((next = strstr(next, "{\"type\":\"table\"")) != NULL) found = next++;
    return found;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s BOT.TOML MODEL.SAFETENSORS RULES\n", argv[0]);
        return 2;
    }
    char error[256] = "cannot read the files", command[160], action[40];
    size_t info_length, weights_length;
    unsigned char *info = read_file(argv[1], &info_length);
    unsigned char *weights = read_file(argv[2], &weights_length);
    TroelBot *bot = NULL;
    if (info != NULL && weights != NULL)
        bot = troel_bot_read("bot", info, info_length, weights, weights_length, error, sizeof error);
    free(info);
    free(weights);
    if (bot == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    TroelTable *table = troel_table_new(bot);
    troel_bot_free(bot); /* the table keeps it */
    snprintf(command, sizeof command, "{\"type\":\"new\",\"rules\":\"%.40s\",\"seat\":\"S\",\"seed\":1}", argv[3]);
    const char *state = last(troel_table_do(table, command));
    while (strstr(state, "\"scores\":null") != NULL) {
        const char *hint = strstr(troel_table_do(table, "{\"type\":\"hint\"}"), "\"action\":\"");
        if (hint == NULL || sscanf(hint, "\"action\":\"%39[^\"]\"", action) != 1) break;
        printf("%s\n", action);
        snprintf(command, sizeof command, "{\"type\":\"act\",\"action\":\"%s\"}", action);
        state = last(troel_table_do(table, command));
    }
    const char *scores = strstr(state, "\"scores\":{");
    printf("%.*s\n", scores == NULL ? (int)strlen(state) : (int)strcspn(scores, "}") + 1, scores == NULL ? state : scores);
    troel_table_free(table);
    return scores == NULL;
}
