import { Argument } from 'commander';

export const slugArgument = () => new Argument('<slug>', 'the name of the organization in API paths');
