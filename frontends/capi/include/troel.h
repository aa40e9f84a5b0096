/* Bots of troel: load a checkpoint or name a bot, hand over requests of the bot protocol (docs/protocol.md), get answers; seat a
   person at a table with the bot (docs/table.md). */
#ifndef TROEL_H
#define TROEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded bot. Any number of threads may ask it at once. */
typedef struct TroelBot TroelBot;

/* Loads the checkpoint in a folder (UTF-8). NULL if that fails; the reason is then in `error`. */
TroelBot *troel_bot_load(const char *folder, char *error, size_t error_len);

/* Loads a checkpoint from the contents of its files: `info` is that of bot.toml, `weights` that of model.safetensors.
   Neither is needed any more afterwards. `name` is what the bot is called. NULL if that fails; the reason is then in
   `error`. */
TroelBot *troel_bot_read(const char *name, const unsigned char *info, size_t info_len, const unsigned char *weights,
                         size_t weights_len, char *error, size_t error_len);

/* A bot without a file: "random", "rules", "expert" or "pimc:worlds=20", under all built-in rule sets. NULL if there is none of
   this name; the reason is then in `error`. */
TroelBot *troel_bot_named(const char *name, char *error, size_t error_len);

/* Answers a request, a JSON object such as {"id":1,"cmd":"hello"}. The answer goes into `answer`, cut if it does not
   fit; returns the length that it has without its zero byte, so that `answer_len` was too small if that is not below
   it. 0 for null pointers. */
size_t troel_bot_answer(const TroelBot *bot, const char *request, char *answer, size_t answer_len);

/* Frees a bot; NULL is allowed. Tables that it sits at keep it. */
void troel_bot_free(TroelBot *bot);

/* A table with a person; the bot takes the other three seats. One thread at a time may use it. */
typedef struct TroelTable TroelTable;

/* Sets up a table. NULL if `bot` is. */
TroelTable *troel_table_new(const TroelBot *bot);

/* Does what the person commands, such as {"type":"new","rules":"wiezen","seat":"S","seed":1}; returns a JSON array of what
   is to be shown, which belongs to the table and is there until it is used again. NULL for null pointers. */
const char *troel_table_do(TroelTable *table, const char *command);

/* Frees a table; NULL is allowed. */
void troel_table_free(TroelTable *table);

#ifdef __cplusplus
}
#endif

#endif
