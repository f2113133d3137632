import type { Hex } from "viem";

/** Signs with the key of one wallet, from a keystore file or a remote signer. */
export type Signer = {
  /** Rejects if the signer is unreachable. Throws `SettingsError` if it lacks the wallet's key. */
  check(): Promise<void>;
  /**
   * Signs the keccak-256 hash of the bytes and returns r, s and v in 65 bytes. Rejects if it
   * cannot. The caller checks that the signature recovers the wallet's address.
   */
  sign(unsigned: Hex): Promise<Hex>;
};
