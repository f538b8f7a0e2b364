/** The fields of a new runtime that hold lists: capabilities, hosts and ports. */
import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { drydock } from '../../api/client.ts';
import { useWhere } from '../../frame/scope.ts';
import { useNewRuntime } from './values.ts';

const MAX_SUGGESTIONS = 20;
const SPLIT = [',', ' '];

export function ListFields() {
  const form = useNewRuntime();
  const [typed, setTyped] = useState('');
  return (
    <>
      <TagsInput
        label="Capabilities"
        description="As name, or name@version. Their files appear at /capabilities."
        splitChars={SPLIT}
        acceptValueOnBlur
        data={useCapabilityNames(typed)}
        searchValue={typed}
        onSearchChange={setTyped}
        {...form.getInputProps('capabilities')}
      />
      <TagsInput
        label="Hosts it may reach"
        description="As example.com, *.example.com or example.com:8443. Without any, the sandbox has no network."
        splitChars={SPLIT}
        acceptValueOnBlur
        {...form.getInputProps('egress_allow')}
      />
      <TagsInput
        label="Exposed ports"
        description="Ports that you can reach from outside through the API."
        splitChars={SPLIT}
        acceptValueOnBlur
        inputMode="numeric"
        {...form.getInputProps('exposed_ports')}
      />
    </>
  );
}

function useCapabilityNames(search: string): readonly string[] {
  const { org } = useWhere();
  const { data } = useQuery({
    queryKey: ['capability-names', org, search],
    queryFn: async ({ signal }) =>
      drydock.capabilities.list({ org }, { search: search || undefined, limit: MAX_SUGGESTIONS }, { signal }),
  });
  const ofOrg = `${org}/`;
  const names = (data?.capabilities ?? []).map(({ name }) => name);
  return names.map((name) => (name.startsWith(ofOrg) ? name.slice(ofOrg.length) : name));
}
