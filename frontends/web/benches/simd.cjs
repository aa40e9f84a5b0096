// Counts the vector instructions of a WebAssembly module.
"use strict";

const CODE_SECTION = 10;
/** Prefix of vector instructions. */
const VECTOR = 0xfd;
/** First vector instruction of the relaxed SIMD proposal, which has fused multiply-add. */
const FIRST_RELAXED = 0x100;

/** Reads bytes and LEB128 numbers from `start` on. */
class Reader {
  constructor(bytes, start = 0) {
    this.bytes = bytes;
    this.at = start;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Reads an unsigned number. For a signed one only the number of bytes read is right. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  numbers(count) {
    for (let i = 0; i < count; i++) this.number();
  }

  memoryArgument() {
    const alignment = this.number();
    if (alignment & 64) this.number();
    this.number();
  }
}

/** Skips the immediates of a vector instruction. */
function skipVectorImmediates(reader, code) {
  if (code <= 11 || code === 92 || code === 93) reader.memoryArgument();
  else if (code === 12 || code === 13) reader.at += 16;
  else if (code >= 21 && code <= 34) reader.at += 1;
  else if (code >= 84 && code <= 91) {
    reader.memoryArgument();
    reader.at += 1;
  }
}

/** Skips the immediates of an instruction of the core or of bulk memory. */
function skipImmediates(reader, code) {
  if (code >= 0x28 && code <= 0x3e) return reader.memoryArgument();
  switch (code) {
    case 0x02: case 0x03: case 0x04: // blocks
    case 0x0c: case 0x0d: case 0x10: case 0x12: // branches, calls
    case 0x20: case 0x21: case 0x22: case 0x23: case 0x24: // variables
    case 0x25: case 0x26: // tables
    case 0x3f: case 0x40: case 0x41: case 0x42: // memory size, integer constants
    case 0xd0: case 0xd2: // references
      return reader.number();
    case 0x11: case 0x13:
      return reader.numbers(2);
    case 0x0e:
      return reader.numbers(reader.number() + 1);
    case 0x1c:
      return reader.numbers(reader.number());
    case 0x43:
      reader.at += 4;
      return;
    case 0x44:
      reader.at += 8;
      return;
    case 0xfc: {
      const extended = reader.number();
      if (extended >= 8) reader.numbers([8, 10, 12, 14].includes(extended) ? 2 : 1);
      return;
    }
    default:
      if (code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f || code === 0xd1) return;
      if ((code >= 0x1a && code <= 0x1b) || (code >= 0x45 && code <= 0xc4)) return;
      throw new Error(`unknown instruction 0x${code.toString(16)} at byte ${reader.at - 1}`);
  }
}

/**
 * Returns the numbers of instructions in a module: `all`, those on vectors (`vector`), and those of
 * relaxed SIMD among them (`relaxed`). Throws at an instruction that it does not know.
 */
function countInstructions(wasm) {
  const counts = { all: 0, vector: 0, relaxed: 0 };
  // After the magic number and the version.
  const reader = new Reader(wasm, 8);
  while (reader.at < wasm.length) {
    const section = reader.byte();
    const length = reader.number();
    const sectionEnd = reader.at + length;
    if (section !== CODE_SECTION) {
      reader.at = sectionEnd;
      continue;
    }
    for (let functions = reader.number(); functions > 0; functions--) {
      const size = reader.number();
      const end = reader.at + size;
      for (let groups = reader.number(); groups > 0; groups--) {
        reader.number();
        reader.byte();
      }
      while (reader.at < end) {
        const code = reader.byte();
        counts.all++;
        if (code === VECTOR) {
          const vector = reader.number();
          counts.vector++;
          if (vector >= FIRST_RELAXED) counts.relaxed++;
          skipVectorImmediates(reader, vector);
        } else skipImmediates(reader, code);
      }
      if (reader.at !== end) throw new Error(`a function does not end at byte ${end}`);
    }
  }
  return counts;
}

module.exports = { countInstructions };
