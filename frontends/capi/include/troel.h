/* Bots of troel: load a checkpoint or name a bot, and answer requests of the bot protocol
   (docs/protocol.md), or seat a person at a table with the bot (docs/table.md). */
#ifndef TROEL_H
#define TROEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded bot. Any number of threads may use it at once. */
typedef struct TroelBot TroelBot;

/* Loads the checkpoint in a folder (UTF-8). Returns NULL on failure, with the reason in `error`. */
TroelBot *troel_bot_load(const char *folder, char *error, size_t error_len);

/* Loads a checkpoint from the contents of its files: `info` is that of bot.toml, `weights` that of
   model.safetensors. Neither is used after the call. `name` is the bot's name. Returns NULL on
   failure, with the reason in `error`. */
TroelBot *troel_bot_read(const char *name, const unsigned char *info, size_t info_len, const unsigned char *weights,
                         size_t weights_len, char *error, size_t error_len);

/* Creates a bot that needs no file: "random", "rules", "expert" or "pimc:worlds=20", for all
   built-in rule sets. Returns NULL if there is no bot of this name, with the reason in `error`. */
TroelBot *troel_bot_named(const char *name, char *error, size_t error_len);

/* Answers a request, a JSON object such as {"id":1,"cmd":"hello"}. Writes the answer to `answer`,
   truncated if it does not fit, and returns the length of the answer in bytes without the zero
   byte. The answer was truncated if `answer_len` is not above this length. Returns 0 if `bot` or
   `request` is NULL. */
size_t troel_bot_answer(const TroelBot *bot, const char *request, char *answer, size_t answer_len);

/* Frees a bot; NULL is allowed. Tables made with it remain valid. */
void troel_bot_free(TroelBot *bot);

/* A table with a person and a bot at the three other seats. Only one thread at a time may use
   it. */
typedef struct TroelTable TroelTable;

/* Creates a table. Returns NULL if `bot` is NULL. */
TroelTable *troel_table_new(const TroelBot *bot);

/* Executes a command of the person, such as {"type":"new","rules":"wiezen","seat":"S","seed":1}.
   Returns a JSON array of the messages to show, which is owned by the table and valid until the
   table is used again. Returns NULL if a pointer is NULL. */
const char *troel_table_do(TroelTable *table, const char *command);

/* Frees a table; NULL is allowed. */
void troel_table_free(TroelTable *table);

#ifdef __cplusplus
}
#endif

#endif
