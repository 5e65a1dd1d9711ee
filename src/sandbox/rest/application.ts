import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { guildData } from '../serialize.ts';
import type { RestContext } from './context.ts';

/** The flags by which an application sees which privileged intents are switched on for it. */
function intentFlags(privilegedIntents: number): number {
  const flags: [GatewayIntentBits, ApplicationFlags][] = [
    [GatewayIntentBits.GuildPresences, ApplicationFlags.GatewayPresenceLimited],
    [GatewayIntentBits.GuildMembers, ApplicationFlags.GatewayGuildMembersLimited],
    [GatewayIntentBits.MessageContent, ApplicationFlags.GatewayMessageContentLimited],
  ];
  return flags.reduce((all, [intent, flag]) => (privilegedIntents & intent ? all | flag : all), 0);
}

/** The application as GET /applications/@me gives it. */
export function applicationData({ application, world, privilegedIntents }: RestContext) {
  const flags = intentFlags(privilegedIntents);
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    type: null,
    bot: world.bot,
    bot_public: true,
    bot_require_code_grant: false,
    integration_types_config: { 0: {} },
    verify_key: '0'.repeat(64),
    flags,
    flags_new: String(flags),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: { ...world.bot, id: application.id, bot: false, username: 'owner' },
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
  };
}

/** The bot's own user as GET /users/@me and READY give it. */
export function ownUserData({ world }: RestContext) {
  return {
    ...world.bot,
    flags: 0,
    mfa_enabled: false,
    locale: 'en-US',
    verified: true,
    email: null,
  };
}

/** Where the gateway is, and who the bot is. */
export function applicationRoutes(app: FastifyInstance, context: RestContext): void {
  app.get('/gateway', async () => ({ url: context.gatewayUrl() }));
  app.get('/gateway/bot', async () => ({
    url: context.gatewayUrl(),
    shards: 1,
    session_start_limit: {
      total: 1000,
      remaining: 1000,
      reset_after: 86_400_000,
      max_concurrency: 16,
    },
  }));
  app.get('/users/@me', async () => ownUserData(context));
  app.get('/users/@me/guilds', async () =>
    [...context.world.guilds.values()].map((guild) => {
      const { id, name, icon, banner, features } = guildData(guild);
      return { id, name, icon, banner, features, owner: false, permissions: '0' };
    }),
  );
  app.get('/applications/@me', async () => applicationData(context));
  app.get('/oauth2/applications/@me', async () => applicationData(context));
}
