/** The id of an actor's root: its own where it has no other one. */
export function rootOfActor({ id, root = id }: { readonly id: string; readonly root?: string }) {
  return root;
}
