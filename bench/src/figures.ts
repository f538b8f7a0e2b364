/** Formats figures for tables. */
export const count = (value: number) => Math.round(value).toLocaleString('en');
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
export const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
