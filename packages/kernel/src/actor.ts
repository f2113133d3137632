export function rootOfActor({ id, root = id }: { readonly id: string; readonly root?: string }) {
  return root;
}
