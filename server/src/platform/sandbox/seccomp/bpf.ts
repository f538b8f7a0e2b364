/**
 * Classic BPF as far as a seccomp filter needs it: pieces of a program that are concatenated. The machine has one register. Every test is
 * followed by the piece that runs when it holds, and jumps over it otherwise; so there are no labels, and a program cannot loop.
 */

export interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly k: number;
}

/** Parts of an instruction's code, named as in `linux/bpf_common.h`. */
export const BPF = {
  LD_W_ABS: 0x20,
  ALU_AND_K: 0x54,
  JMP_JEQ_K: 0x15,
  JMP_JGT_K: 0x25,
  JMP_JGE_K: 0x35,
  JMP_JSET_K: 0x45,
  RET_K: 0x06,
} as const;

/** Offsets in `struct seccomp_data`; both architectures are little-endian. */
export const DATA = { number: 0, architecture: 4, arguments: 16 } as const;

const LONGEST_JUMP = 255;
const INSTRUCTION_BYTES = 8;

const plain = (code: number, k: number): Instruction => ({ code, jumpTrue: 0, jumpFalse: 0, k });

export const loadNumber = plain(BPF.LD_W_ABS, DATA.number);
export const loadArchitecture = plain(BPF.LD_W_ABS, DATA.architecture);
/** Loads the low 32 bits of an argument that the kernel takes as an `int`, so that garbage above cannot hide the value. */
export const loadLow = (argument: number) => plain(BPF.LD_W_ABS, DATA.arguments + 8 * argument);
export const loadHigh = (argument: number) => plain(BPF.LD_W_ABS, DATA.arguments + 8 * argument + 4);
export const mask = (bits: number) => plain(BPF.ALU_AND_K, bits);
export const answer = (verdict: number) => plain(BPF.RET_K, verdict);

export const ifEqual = (k: number, piece: readonly Instruction[]) => branch(BPF.JMP_JEQ_K, k, piece);
export const ifAbove = (k: number, piece: readonly Instruction[]) => branch(BPF.JMP_JGT_K, k, piece);
export const ifAtLeast = (k: number, piece: readonly Instruction[]) => branch(BPF.JMP_JGE_K, k, piece);
export const ifAnyBit = (k: number, piece: readonly Instruction[]) => branch(BPF.JMP_JSET_K, k, piece);

export function ifNotEqual(k: number, piece: readonly Instruction[]): Instruction[] {
  return [{ code: BPF.JMP_JEQ_K, jumpTrue: checkedLength(piece), jumpFalse: 0, k }, ...piece];
}

/** The piece ends with a verdict, so the code after it finds the register unchanged. */
function branch(code: number, k: number, piece: readonly Instruction[]): Instruction[] {
  return [{ code, jumpTrue: 0, jumpFalse: checkedLength(piece), k }, ...piece];
}

function checkedLength(piece: readonly Instruction[]): number {
  if (piece.length > LONGEST_JUMP) throw new Error(`${piece.length} instructions are too far to jump over`);
  return piece.length;
}

/** Encodes the program as an array of `struct sock_filter`. */
export function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  program.forEach(({ code, jumpTrue, jumpFalse, k }, index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  });
  return bytes;
}
