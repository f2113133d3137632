/** Words of forms. */
export const formWords = {
  optional: "(optional)",
  problems: { required: "is required", format: "has another form than this field takes" },
  missed: (count: number) =>
    `${count} ${count === 1 ? "field needs" : "fields need"} another look.`,
  owner: (number: number) => `Owner ${number}`,
  addOwner: "Add an owner",
  removeOwner: "Remove the last owner",
} as const;
