/** Fields with suggestions: models, and capabilities and datasets of the registry. */
import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { drydock } from '../api/client.ts';
import { modelsQuery } from '../evaluations/queries.ts';
import { useWhere } from '../frame/scope.ts';

const MAX_SUGGESTIONS = 20;

/** A model of the gateway, simulated ones included. */
export function ModelInput(props: AutocompleteProps) {
  const { org } = useWhere();
  const { data } = useQuery(modelsQuery(org));
  const models = data?.data ?? [];
  const ids = (isSimulated: boolean) =>
    models.filter(({ simulated }) => simulated === isSimulated).map(({ id }) => id);
  return (
    <Autocomplete
      {...props}
      data={[
        { group: 'Your providers', items: ids(false) },
        { group: 'Simulated (no API key needed)', items: ids(true) },
      ].filter(({ items }) => items.length > 0)}
    />
  );
}

/** The name of a capability. */
export function CapabilityInput({ value = '', ...props }: AutocompleteProps) {
  const { org } = useWhere();
  const { data } = useCapabilities(value);
  const ofOrg = `${org}/`;
  const names = (data?.capabilities ?? []).map(({ name }) =>
    name.startsWith(ofOrg) ? name.slice(ofOrg.length) : name,
  );
  return <Autocomplete {...props} value={value} data={names} />;
}

function useCapabilities(typed: string) {
  const { org } = useWhere();
  const [search] = useDebouncedValue(typed, 200);
  return useQuery({
    queryKey: ['capability-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.capabilities.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
}

/** @returns the newest version of the capability with this name, once it is known */
export function useNewestCapability(typed: string): string | undefined {
  const { org } = useWhere();
  const { data } = useCapabilities(typed);
  return data?.capabilities.find(({ name }) => name === typed || name === `${org}/${typed}`)?.version;
}

/** The name of a dataset. */
export function DatasetInput({ value = '', ...props }: AutocompleteProps) {
  const { org } = useWhere();
  const { data } = useDatasets(value);
  const ofOrg = `${org}/`;
  const names = (data?.datasets ?? []).map(({ name }) =>
    name.startsWith(ofOrg) ? name.slice(ofOrg.length) : name,
  );
  return <Autocomplete {...props} value={value} data={names} />;
}

function useDatasets(typed: string) {
  const { org } = useWhere();
  const [search] = useDebouncedValue(typed, 200);
  return useQuery({
    queryKey: ['dataset-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.datasets.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
}

/** @returns the newest version of the dataset with this name, once it is known */
export function useNewestDataset(typed: string): string | undefined {
  const { org } = useWhere();
  const { data } = useDatasets(typed);
  return data?.datasets.find(({ name }) => name === typed || name === `${org}/${typed}`)?.version;
}

/** Fills in the newest version once it is known, unless the user has typed another one. */
export function useNewestVersion(
  version: string,
  newest: string | undefined,
  onSuggest: (version: string) => void,
): void {
  const suggested = useRef('');
  const suggest = useEffectEvent(() => {
    if (newest === undefined || version !== suggested.current) return;
    suggested.current = newest;
    onSuggest(newest);
  });
  useEffect(() => suggest(), [newest]);
}
