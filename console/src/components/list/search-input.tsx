import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';

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
  const field = useRef<HTMLInputElement>(null);
  const searched = useRef(initialText);
  const search = useDebouncedCallback((text: string) => {
    searched.current = text || undefined;
    onSearch(searched.current);
  }, TYPING_MS);
  // The address may change without the field, as by a link or by going back.
  useEffect(() => {
    if (initialText === searched.current || !field.current) return;
    searched.current = initialText;
    field.current.value = initialText ?? '';
  }, [initialText]);
  return (
    <TextInput
      ref={field}
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
