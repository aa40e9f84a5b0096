// Codes of game records, and types that records and messages share.

export type Seat = "N" | "E" | "S" | "W";
export type Suit = "S" | "H" | "D" | "C";
export type Strain = Suit | "NT";
export type BySeat<T> = Record<Seat, T>;
export type Phase = "auction" | "trump" | "discard" | "exchange" | "answer" | "play" | "done";

export interface Contract {
  kind: string;
  level: number | null;
  trump: Suit | null;
  declarers: string;
}

export interface GameRecord {
  rules: string;
  dealer: Seat;
  deal: string;
  turn_up?: string;
  actions?: string[];
}
