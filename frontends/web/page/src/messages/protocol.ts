// Types of a table's messages and commands (docs/table.md). Generated from messages.rs, review.rs and commands.rs in frontends/protocol/src; a test in messages.rs writes this file.

import type { BySeat, Contract, GameRecord, Phase, Seat } from "./codes";

export type Message = { "type": "table" } & TableView | { "type": "rules" } & RulesView | { "type": "hint" } & HintView | { "type": "review" } & ReviewView | { "type": "values" } & ValuesView | { "type": "par" } & ParView | { "type": "results" } & ResultsView | { "type": "said" } & SaidView | { "type": "refused" } & RefusedView | { "type": "moved" };

export type TableView = { 
/**
 * Name of the rule set.
 */
rules: string, 
/**
 * Points that end the match; 0 if the match has no target.
 */
target: number, 
/**
 * Number of deals of the match; `None` if it goes on to the target, or without end. A deal
 * that everybody passed, and that the same dealer deals again, does not count.
 */
length: number | null, 
/**
 * Number of deals that follow this one; `None` without a length.
 */
left: number | null, 
/**
 * Number of the deal, from 0.
 */
deal: number, 
/**
 * The person's seat.
 */
you: Seat, 
/**
 * Names of bots.
 */
bots: BySeat<string>, 
/**
 * The dealer.
 */
dealer: Seat, 
/**
 * The seat to act; `None` once the deal is over.
 */
turn: Seat | null, 
/**
 * Phase of the deal.
 */
phase: Phase, 
/**
 * The person's cards.
 */
hand: string[], 
/**
 * Exposed cards of the others.
 */
shown: BySeat<string[]>, 
/**
 * Number of cards held.
 */
cards: BySeat<number>, 
/**
 * Codes of the person's legal actions.
 */
legal: Array<string>, 
/**
 * Number of actions before the first card: `8S` is a call among them and a card afterwards.
 */
calls: number, 
/**
 * All actions of the deal.
 */
history: Array<VisibleAction>, 
/**
 * The turn-up, if the person has seen it.
 */
turn_up: string | null, 
/**
 * The seat whose aces force a partnership.
 */
announcer: Seat | null, 
/**
 * The partnership that the announcer forces, `trou` or `troel`.
 */
announces: string | null, 
/**
 * The card asked for in an exchange.
 */
asked_for: string | null, 
/**
 * The contract, once it is settled.
 */
contract: Contract | null, 
/**
 * Cards on the table.
 */
trick: Array<TrickCard>, 
/**
 * The last finished trick.
 */
last_trick: Array<TrickCard>, 
/**
 * Tricks taken.
 */
tricks: BySeat<number>, 
/**
 * Points of the deal, once it is over.
 */
scores: BySeat<number> | null, 
/**
 * Points of the match.
 */
totals: BySeat<number>, 
/**
 * Whether the deal was passed out.
 */
void: boolean, 
/**
 * Whether the match is over.
 */
over: boolean, 
/**
 * Whether the person has a decision to take back.
 */
undo: boolean, 
/**
 * Numbers of the actions that the person decided, in the deal from 0.
 */
mine: Array<number>, 
/**
 * Whether the person is on lead and takes all the rest.
 */
certain: boolean, 
/**
 * Whether no card still to be played can change the points.
 */
settled: boolean, 
/**
 * The full record of a deal that is over.
 */
record: GameRecord | null, };

export type SharedView = { 
/**
 * Persons by seat.
 */
people: Partial<BySeat<Person>>, 
/**
 * Whether the person sat down during this deal, watches it, and plays from the next deal on.
 */
watching: boolean, 
/**
 * Seats that want the next deal.
 */
ready: Seat[], 
/**
 * Address at which other machines of the network reach the server, such as
 * `http://192.168.1.5:7200/`. It is null if only this machine does, or if it is unknown.
 */
address: string | null, 
/**
 * Token that a link to the table needs, if the server asks for one.
 */
token: string | null, };

export type Person = { 
/**
 * Name that the others see.
 */
name: string, 
/**
 * Whether the person is connected.
 */
here: boolean, 
/**
 * Whether a bot plays in the person's place.
 */
bot: boolean, 
/**
 * Whether no bot has played in the person's place in this deal.
 */
whole: boolean, };

export type VisibleAction = { 
/**
 * The seat that acted.
 */
seat: Seat, 
/**
 * Code of the action; `-` for a card that another seat laid aside.
 */
action: string, 
/**
 * Phase of the deal before the action.
 */
phase: Phase, };

export type TrickCard = { 
/**
 * The seat that played it.
 */
seat: Seat, 
/**
 * The card.
 */
card: string, };

export type RulesView = { 
/**
 * Name of the rule set.
 */
rules: string, 
/**
 * Description of the rule set.
 */
description: string, 
/**
 * Whether a card is turned up.
 */
turn_up: boolean, 
/**
 * Points that end the match; 0 if the match has no target.
 */
target: number, 
/**
 * Contracts, lowest rank first.
 */
contracts: Array<ContractRow>, };

export type ContractRow = { 
/**
 * Kind of contract.
 */
kind: string, 
/**
 * Level of the call; 0 for misères and piccolo.
 */
level: number, 
/**
 * Whether the contract may be played without trumps.
 */
no_trumps: boolean, 
/**
 * Tricks taken, points of each declarer, points of each other seat.
 */
points: Array<[number, number, number]>, };

export type CandidateView = { 
/**
 * The action.
 */
action: string, 
/**
 * Expected points of the deal for the seat.
 */
points: number, 
/**
 * Standard error of `points`.
 */
error: number | null, 
/**
 * Probability of the action in the bot's policy.
 */
chance: number, };

export type HintView = { 
/**
 * The best action.
 */
action: string, 
/**
 * The bot's choice.
 */
bot: string, 
/**
 * The bot's policy, in order of decreasing probability.
 */
policy: [string, number][], 
/**
 * Points of the deal that the bot expects; `None` from bots without an estimate.
 */
value: number | null, 
/**
 * The plausible actions, the best one first, then by points. Empty if there is no choice.
 */
candidates: Array<CandidateView>, };

export type DecisionView = { 
/**
 * Number of the action in the record, from 1.
 */
at: number, 
/**
 * The seat that decided.
 */
seat: Seat, 
/**
 * Phase of the decision.
 */
phase: Phase, 
/**
 * The action of the record.
 */
did: string, 
/**
 * The best action by search.
 */
best: string, 
/**
 * The bot's choice.
 */
bot: string, 
/**
 * Probability of `did` in the bot's policy; `bot_chance` is that of `bot`.
 */
chance: number, 
/**
 * Probability of `bot` in the bot's policy.
 */
bot_chance: number, 
/**
 * Points of the deal that the bot expects; `None` from bots without an estimate.
 */
value: number | null, 
/**
 * Expected points lost against `best`; 0 if it is not clearly better.
 */
points: number, 
/**
 * Expected points that `bot` loses against `best`; 0 if it is not clearly better.
 */
bot_points: number, 
/**
 * Expected points by which `did` is better than `bot`; 0 if it is not clearly better.
 */
over_bot: number, 
/**
 * The plausible actions, the best one first, then by points.
 */
candidates: Array<CandidateView>, 
/**
 * Hindsight: tricks lost with all hands visible; `None` except for cards in trick contracts.
 */
tricks: number | null, };

export type ReviewView = { 
/**
 * Number of the decision among those with a choice, from 0.
 */
from: number, 
/**
 * Number of decisions with a choice.
 */
of: number, 
/**
 * Name of the bot that is compared.
 */
judge: string, 
/**
 * The decision; `None` past the last one.
 */
decision: DecisionView | null, };

export type ValuesView = { 
/**
 * Number of actions before the card.
 */
at: number, 
/**
 * Minimum and maximum total tricks of the declarers, by card.
 */
values: Record<string, [number, number]>, };

export type ParView = { 
/**
 * Contract in which the auction ends; `None` if no seat gains by a call, or if it would
 * take too long to find.
 */
contract: Contract | null, 
/**
 * Points by seat; `None` if it would take too long.
 */
points: BySeat<number> | null, 
/**
 * Points by which each seat scored less than `points`; `None` for an unfinished deal.
 */
regret: BySeat<number> | null, };

export type ResultsView = { 
/**
 * Points of the seat, ascending, and the number of plays that ended with them. Empty unless
 * all bots of the table have a network.
 */
points: Array<[number, number]>, };

export type SaidView = { 
/**
 * The person's seat.
 */
seat: Seat, 
/**
 * The phrase.
 */
phrase: Phrase, };

export type RefusedView = { 
/**
 * Type of the refused command: its `type`, or `join` for a seat at a shared table. It is `bot`
 * if a bot failed after the command, and null without a type.
 */
of: unknown, 
/**
 * Reason.
 */
message: string, 
/**
 * Whether the match or table cannot be continued.
 */
lost?: boolean, 
/**
 * Whether the server has too many requests, and the command may be repeated.
 */
busy?: boolean, };

export type Command = { "type": "new" } & NewMatch | { "type": "restore", deals: Array<Array<string>>, 
/**
 * Name of the rule set.
 */
rules: string, 
/**
 * Text of the rule file of `rules`, which are then no built-in rules.
 */
rule_file?: string, 
/**
 * The person's seat.
 */
seat: Seat, 
/**
 * Seed of the deals and of the bots; drawn if there is none.
 */
seed?: number, 
/**
 * Names of bots by seat. The default bot plays at the other seats.
 */
bots?: BySeatNames, 
/**
 * Number of deals. If `None`, the match goes on to the target of the rules, or without end.
 */
length?: number, 
/**
 * A record of the first deal; its actions are ignored.
 */
record?: GameRecord, } | { "type": "rules", rules: string, 
/**
 * Text of the rule file of `rules`, which are then no built-in rules.
 */
rule_file?: string, } | { "type": "act", action: string, } | { "type": "claim" } | { "type": "undo" } | { "type": "back", to: number, } | { "type": "again", bots?: BySeatNames, } | { "type": "next" } | { "type": "hint" } | { "type": "review", from: number, } | { "type": "values", at: number, } | { "type": "par" } | { "type": "results" } | { "type": "share", 
/**
 * Secret of the table, which is part of its link.
 */
table: string, 
/**
 * Secret of the person, with which a new connection takes the same seat again.
 */
key: string, 
/**
 * The name that the others see.
 */
name: string, 
/**
 * Name of the rule set.
 */
rules: string, 
/**
 * Text of the rule file of `rules`, which are then no built-in rules.
 */
rule_file?: string, 
/**
 * The person's seat.
 */
seat: Seat, 
/**
 * Seed of the deals and of the bots; drawn if there is none.
 */
seed?: number, 
/**
 * Names of bots by seat. The default bot plays at the other seats.
 */
bots?: BySeatNames, 
/**
 * Number of deals. If `None`, the match goes on to the target of the rules, or without end.
 */
length?: number, 
/**
 * A record of the first deal; its actions are ignored.
 */
record?: GameRecord, } | { "type": "join" } & SeatRequest | { "type": "here" } | { "type": "leave" } | { "type": "say", phrase: Phrase, };

export type NewMatch = { 
/**
 * Name of the rule set.
 */
rules: string, 
/**
 * Text of the rule file of `rules`, which are then no built-in rules.
 */
rule_file?: string, 
/**
 * The person's seat.
 */
seat: Seat, 
/**
 * Seed of the deals and of the bots; drawn if there is none.
 */
seed?: number, 
/**
 * Names of bots by seat. The default bot plays at the other seats.
 */
bots?: BySeatNames, 
/**
 * Number of deals. If `None`, the match goes on to the target of the rules, or without end.
 */
length?: number, 
/**
 * A record of the first deal; its actions are ignored.
 */
record?: GameRecord, };

export type BySeatNames = { N?: string, E?: string, S?: string, W?: string, };

export type SeatRequest = { 
/**
 * Secret of the table, which is part of its link.
 */
table: string, 
/**
 * Secret of the person, with which a new connection takes the same seat again.
 */
key: string, 
/**
 * The name that the others see.
 */
name: string, };

export type Phrase = "hello" | "well-played" | "thanks" | "sorry" | "bad-luck" | "laugh" | "one-moment" | "good-bye";
