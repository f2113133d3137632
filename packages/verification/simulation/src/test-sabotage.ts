import type { Sabotage } from "./network/database-link.ts";

/** Takes a field out of the filter of one kind of write: its guard is gone. */
export function without(
  collection: string,
  name: string,
  field: string,
): { readonly sabotage: Sabotage } {
  return {
    sabotage: (command) => {
      const { filter } = command;
      if (command.collection !== collection || command.name !== name) return filter;
      return Object.fromEntries(Object.entries(filter ?? {}).filter(([key]) => key !== field));
    },
  };
}
