import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from "@solana/kit";
import { getCreateAccountInstruction, getTransferSolInstruction } from "@solana-program/system";
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from "@solana-program/token";
import { FailedTransactionMetadata } from "litesvm";
import type { SvmChain } from "./svm-chain.ts";

export const token2022 = address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");

const lamportsOfIssuer = 100_000_000_000n;
const plainMintBytes = 82n;
/** A mint with extensions is padded to a token account's size, and has the type after it. */
const extendedMintBytes = 166n;

/** An extension of a Token-2022 mint: its size on the chain and its initialising instruction. */
export type Extension = { readonly bytes: number; readonly data: Uint8Array };

/** Instruction 44, 0: the mint can be paused by an authority. */
export const pausable = (authority: Address): Extension => ({
  bytes: 4 + 33,
  data: withAddress([44, 0], authority),
});

/** Instruction 26, 0: transfers take a fee of basis points. */
export const transferFee = (basisPoints: number): Extension => {
  const data = new DataView(new ArrayBuffer(2 + 1 + 1 + 2 + 8));
  data.setUint8(0, 26);
  data.setUint16(4, basisPoints, true);
  data.setBigUint64(6, 1_000_000n, true);
  return { bytes: 4 + 108, data: new Uint8Array(data.buffer) };
};

/** Instruction 28, 0: new accounts are frozen (2). */
export const frozenByDefault: Extension = { bytes: 4 + 1, data: Uint8Array.of(28, 0, 2) };

/** Creates tokens of real token programs. The issuer holds every authority. */
export async function createTokenIssuer(chain: SvmChain) {
  const issuer = await generateKeyPairSigner();
  chain.airdrop(issuer.address, lamportsOfIssuer);
  const run = (...instructions: Instruction[]) => execute(chain, issuer, instructions);
  return {
    /** Creates a token and gives the supply to a wallet. */
    createToken: async (
      owner: Address,
      { decimals = 6, supply = 10n ** 12n, program = TOKEN_PROGRAM_ADDRESS as Address },
      extensions: readonly ((issuer: Address) => Extension)[] = [],
    ): Promise<Address> => {
      const mint = await generateKeyPairSigner();
      const used = extensions.map((each) => each(issuer.address));
      const extra = used.reduce((sum, { bytes }) => sum + BigInt(bytes), 0n);
      const space = used.length === 0 ? plainMintBytes : extendedMintBytes + extra;
      const rent = chain.at(chain.tip().height).minimumBalanceForRentExemption(space);
      const created = { payer: issuer, newAccount: mint, lamports: rent, space };
      const authorities = { mintAuthority: issuer.address, freezeAuthority: issuer.address };
      const withProgram = { programAddress: program };
      const writable = [{ address: mint.address, role: AccountRole.WRITABLE }];
      await run(
        getCreateAccountInstruction({ ...created, programAddress: program }),
        ...used.map(({ data }) => ({ programAddress: program, accounts: writable, data })),
        getInitializeMint2Instruction(
          { mint: mint.address, decimals, ...authorities },
          withProgram,
        ),
      );
      if (supply === 0n) return mint.address;
      const ata = await tokenAccount(mint.address, owner, program);
      const token = { mint: mint.address, tokenProgram: program };
      await run(
        getCreateAssociatedTokenIdempotentInstruction({ payer: issuer, ata, owner, ...token }),
        getMintToInstruction(
          { mint: mint.address, token: ata, mintAuthority: issuer, amount: supply },
          withProgram,
        ),
      );
      return mint.address;
    },
    /** Creates a wallet's token account, and freezes it. */
    freeze: async (mint: Address, owner: Address, program: Address = TOKEN_PROGRAM_ADDRESS) => {
      const ata = await tokenAccount(mint, owner, program);
      const token = { mint, tokenProgram: program };
      await run(
        getCreateAssociatedTokenIdempotentInstruction({ payer: issuer, ata, owner, ...token }),
        getFreezeAccountInstruction(
          { account: ata, mint, owner: issuer },
          { programAddress: program },
        ),
      );
    },
    /** Pauses the mint (instruction 44, 1) or resumes it (44, 2). */
    setPaused: (mint: Address, isPaused: boolean) =>
      run({
        programAddress: token2022,
        accounts: [
          { address: mint, role: AccountRole.WRITABLE },
          { address: issuer.address, role: AccountRole.READONLY_SIGNER },
        ],
        data: Uint8Array.of(44, isPaused ? 1 : 2),
      }),
  };
}

export async function tokenAccount(mint: Address, owner: Address, tokenProgram: Address) {
  const [found] = await findAssociatedTokenPda({ mint, owner, tokenProgram });
  return found;
}

let executed = 0n;

async function execute(
  chain: SvmChain,
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
): Promise<void> {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (each) => setTransactionMessageFeePayerSigner(payer, each),
    (each) => appendTransactionMessageInstructions([...instructions, unique(payer)], each),
    (each) => chain.at(chain.tip().height).setTransactionMessageLifetimeUsingLatestBlockhash(each),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  const result = chain.change((runtime) => runtime.sendTransaction(transaction));
  if (result instanceof FailedTransactionMetadata) throw new Error(result.toString());
}

/** Makes a transaction different from every other one. Otherwise the runtime refuses a repeat. */
function unique(payer: KeyPairSigner): Instruction {
  executed += 1n;
  const own = { source: payer, destination: payer.address };
  return getTransferSolInstruction({ ...own, amount: executed });
}

function withAddress(prefix: readonly number[], of: Address): Uint8Array {
  return Uint8Array.of(...prefix, ...addressBytes(of));
}

function addressBytes(of: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(of));
}
