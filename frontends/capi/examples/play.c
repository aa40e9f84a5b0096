/* Asks a bot for its answer to a request.
   cargo build --release -p troel-capi
   cc -Ifrontends/capi/include frontends/capi/examples/play.c target/release/libtroel_capi.a -lm -o play
   ./play checkpoints/luxembourg-v5 '{"id":1,"cmd":"hello"}' */
#include <stdio.h>
#include <stdlib.h>
#include <troel.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s CHECKPOINT REQUEST\n", argv[0]);
        return 2;
    }
    char error[256];
    TroelBot *bot = troel_bot_load(argv[1], error, sizeof error);
    if (bot == NULL) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    size_t length = troel_bot_answer(bot, argv[2], NULL, 0);
    char *answer = malloc(length + 1);
    if (answer != NULL && troel_bot_answer(bot, argv[2], answer, length + 1) == length) puts(answer);
    free(answer);
    troel_bot_free(bot);
    return 0;
}
