/** A wheel that an index offers; all of it is a claim of the index. */
export interface OfferedWheel {
  fileName: string;
  /** Where its bytes are. */
  url: URL;
  /** Hexadecimal; absent if the index gives none. */
  sha256?: string;
  /** The versions of Python that it is for, as PEP 440 specifies them. */
  requiresPython?: string;
  /** Normalized names of what it needs, where the index says so: they count in place of the wheel's own words. */
  depends?: readonly string[];
  /** Withdrawn: taken only where exactly this version is asked for. */
  isYanked: boolean;
}

/** Told while a file comes in; the total is absent where the server does not say. */
export type OnProgress = (fileName: string, receivedBytes: number, totalBytes?: number) => void;

/** Where packages come from. */
export interface PackageIndex {
  /** Its address or folder, for messages, without credentials. */
  readonly name: string;
  /** What to do where it lacks a package. */
  readonly advice?: string;
  /** Every wheel of a package; empty if the index does not have it. */
  offers(packageName: string): Promise<OfferedWheel[]>;
  /** The bytes of one, not yet checked. */
  read(offer: OfferedWheel): Promise<Uint8Array>;
}

export interface IndexOptions {
  /** Ends what is under way. */
  signal: AbortSignal;
  onProgress: OnProgress;
}

/** A wheel larger than this is refused, wherever it comes from. */
export const maxWheelBytes = 200 * 1024 * 1024;
