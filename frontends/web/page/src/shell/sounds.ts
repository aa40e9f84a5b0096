// The sounds of the table, made by the browser's synthesiser.

import { useEffect, useRef } from "preact/hooks";

import { isResultShown, type Scene } from "../table/scene";
import { type Moment, type Sound, soundsBetween } from "../table/sounds";

/** A tone that begins `at` seconds after the sound and glides `from` one frequency `to` another. */
interface Tone {
  at: number;
  seconds: number;
  from: number;
  to: number;
  shape: OscillatorType;
}

const tone = (at: number, seconds: number, from: number, to = from): Tone => ({
  at,
  seconds,
  from,
  to,
  shape: "triangle",
});

const C5 = 523;
const E5 = 659;
const G5 = 784;
const C6 = 1047;

const TONES: Readonly<Record<Sound, Tone[]>> = {
  card: [{ ...tone(0, 0.06, 320, 90), shape: "square" }],
  call: [tone(0, 0.07, 440), tone(0.06, 0.07, 392)],
  trick: [tone(0.12, 0.14, 260, 520)],
  turn: [tone(0.2, 0.18, C6)],
  made: [tone(0, 0.15, C5), tone(0.12, 0.15, E5), tone(0.24, 0.3, G5)],
  failed: [tone(0, 0.2, 330, 311), tone(0.18, 0.4, 262, 233)],
  slam: [C5, E5, G5, C6, G5, C6].map((hertz, i) => tone(0.13 * i, i === 5 ? 0.6 : 0.16, hertz)),
};
const VOLUME = 0.12;
const ATTACK_S = 0.008;
/** Level at which a tone has died away. A ramp to zero is not defined. */
const SILENCE = 0.0001;

/** The synthesiser; `null` before the first sound. */
let audio: AudioContext | null = null;

function playTone(context: AudioContext, { at, seconds, from, to, shape }: Tone) {
  const start = context.currentTime + at;
  const end = start + seconds;
  const oscillator = context.createOscillator();
  const volume = context.createGain();
  oscillator.type = shape;
  oscillator.frequency.setValueAtTime(from, start);
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  volume.gain.setValueAtTime(SILENCE, start);
  volume.gain.exponentialRampToValueAtTime(VOLUME, start + ATTACK_S);
  volume.gain.exponentialRampToValueAtTime(SILENCE, end);
  oscillator.connect(volume).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(end);
}

/** Plays a sound. Browsers allow none before the person has clicked or typed in the page. */
function play(sound: Sound) {
  const isAllowed = navigator.userActivation?.hasBeenActive ?? true;
  if (!isAllowed || !("AudioContext" in window)) return;
  audio ??= new AudioContext();
  const context = audio;
  const start = () => {
    for (const part of TONES[sound]) playTone(context, part);
  };
  if (context.state === "running") start();
  else void context.resume().then(start, () => {});
}

/** Plays the sounds of the table if the person wants them. */
export function useSounds(scene: Scene | null) {
  const before = useRef<Moment | null>(null);
  const wasOn = useRef<boolean | undefined>(undefined);
  useEffect(() => {
    if (!scene) return;
    const { game, table, settings } = scene;
    const now: Moment = {
      table,
      isTrickFull: game.fullTrick !== null,
      isPersonsTurn: game.isPersonsTurn,
      isResultShown: isResultShown(scene),
    };
    const sounds = soundsBetween(before.current, now);
    // The switch itself can be heard.
    if (settings.sound && wasOn.current === false) sounds.push("made");
    before.current = now;
    wasOn.current = settings.sound;
    if (settings.sound) for (const sound of sounds) play(sound);
  });
}
