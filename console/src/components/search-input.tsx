import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';

/** A list is read again only when the user has stopped typing for this long. */
const TYPING_MS = 250;

interface SearchInputProps extends Pick<TextInputProps, 'w' | 'flex' | 'ml'> {
  readonly label: string;
  readonly placeholder?: string;
  readonly initialText: string | undefined;
  /** Called with `undefined` when the field is empty. */
  readonly onSearch: (text: string | undefined) => void;
}

/** The search field of a list. */
export function SearchInput({
  label,
  placeholder = label,
  initialText,
  onSearch,
  ...style
}: SearchInputProps) {
  const search = useDebouncedCallback((text: string) => onSearch(text || undefined), TYPING_MS);
  return (
    <TextInput
      size="xs"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      defaultValue={initialText ?? ''}
      onChange={(event) => search(event.currentTarget.value)}
      {...style}
    />
  );
}
