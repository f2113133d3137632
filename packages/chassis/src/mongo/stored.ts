import {
  type Metadata,
  metadataOf,
  type StoredEntry,
  storedMetadata,
} from "@disburse/kernel/metadata.ts";
import { type Binary, Decimal128 } from "mongodb";
import { fromDecimal128, toDecimal128 } from "./database.ts";

/**
 * The type of a domain value in a stored document. Field names are in snake case, amounts are
 * Decimal128, and metadata is an array of entries. Undefined fields are left out.
 */
export type Stored<T> = T extends bigint
  ? Decimal128
  : T extends string | number | boolean | undefined | null | Date | Binary
    ? T
    : T extends readonly (infer Each)[]
      ? Stored<Each>[]
      : {
          [Key in keyof T as SnakeCase<Key & string>]: Key extends "metadata"
            ? StoredEntry[] | Extract<T[Key], undefined>
            : Stored<T[Key]>;
        };

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

export function toStored<T>(value: T): Stored<T> {
  return storedValue(value) as Stored<T>;
}

export function fromStored<T>(stored: Stored<T>): T {
  return domainValue(stored) as T;
}

function storedValue(value: unknown): unknown {
  if (typeof value === "bigint") return toDecimal128(value);
  if (Array.isArray(value)) return value.map(storedValue);
  if (!isRecord(value)) return value;
  const stored: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    stored[snakeCase(name)] =
      name === "metadata" ? storedMetadata(field as Metadata) : storedValue(field);
  }
  return stored;
}

function domainValue(stored: unknown): unknown {
  if (stored instanceof Decimal128) return fromDecimal128(stored);
  if (Array.isArray(stored)) return stored.map(domainValue);
  if (!isRecord(stored)) return stored;
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(stored)) {
    value[camelCase(name)] =
      name === "metadata" ? metadataOf(field as StoredEntry[]) : domainValue(field);
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
