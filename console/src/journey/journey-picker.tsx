/** A field that opens the journey of a capability. */
import { ActionIcon } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CapabilityInput } from '../components/registry-inputs.tsx';
import { useWhere } from '../frame/scope.ts';

export function JourneyPicker() {
  const where = useWhere();
  const navigate = useNavigate();
  const [capability, setCapability] = useState('');
  const open = (name: string) => {
    if (name.trim() !== '')
      void navigate({
        to: '/o/$org/w/$workspace/capabilities/$capability/journey',
        params: { ...where, capability: name.trim() },
      });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        open(capability);
      }}
    >
      <CapabilityInput
        size="xs"
        w={230}
        aria-label="Journey of a capability"
        placeholder="Journey of a capability"
        value={capability}
        onChange={setCapability}
        onOptionSubmit={open}
        rightSection={
          <ActionIcon type="submit" size="sm" variant="subtle" color="gray" aria-label="Open the journey">
            <IconArrowRight size={14} />
          </ActionIcon>
        }
      />
    </form>
  );
}
