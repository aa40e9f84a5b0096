/* Trained troel bots: load a checkpoint, hand over requests of the bot protocol (docs/protocol.md), get answers. */
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

/* Answers a request, a JSON object such as {"id":1,"cmd":"hello"}. The answer goes into `answer`, cut if it does not
   fit; returns the length that it has without its zero byte, so that `answer_len` was too small if that is not below
   it. 0 for null pointers. */
size_t troel_bot_answer(const TroelBot *bot, const char *request, char *answer, size_t answer_len);

/* Frees a bot; NULL is allowed. */
void troel_bot_free(TroelBot *bot);

#ifdef __cplusplus
}
#endif

#endif
