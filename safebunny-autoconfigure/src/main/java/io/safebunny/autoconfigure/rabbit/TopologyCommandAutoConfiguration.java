// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import io.safebunny.autoconfigure.lifecycle.EngineLifecycle;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.rabbit.preflight.Preflight;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Runs a {@link TopologyCommand} and ends the process with its exit status. */
@AutoConfiguration(
        after = RabbitTransportAutoConfiguration.class,
        afterName = "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@Conditional(TopologyCommandAutoConfiguration.Asked.class)
final class TopologyCommandAutoConfiguration {

    @Bean
    TopologyCommand safeBunnyTopologyCommand(
            Environment environment,
            EngineLifecycle lifecycle,
            ObjectProvider<RabbitTransportOptions> options,
            ObjectProvider<RabbitConnections> connections,
            ObjectProvider<Preflight> preflight) {
        RabbitTransportOptions configured = options.getIfAvailable();
        RabbitConnections connected = connections.getIfAvailable();
        Preflight checks = preflight.getIfAvailable();
        return new TopologyCommand(
                TopologyCommand.Action.of(environment
                        .getRequiredProperty(TopologyCommand.PROPERTY)
                        .strip()),
                lifecycle,
                configured == null || connected == null || checks == null
                        ? null
                        : new TopologyCommand.Rabbit(configured.delayStrategy(), connected.publish(), checks),
                environment.getProperty("spring.application.version", "0"));
    }

    /** Runs before all other runners, so that none of them runs: the process ends here. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ApplicationRunner safeBunnyTopologyRunner(
            TopologyCommand command, ConfigurableApplicationContext context, ObjectProvider<ExitHook> exit) {
        ExitHook end = exit.getIfAvailable(() -> System::exit);
        return arguments -> {
            int status = command.run(System.out, System.err);
            int unused = SpringApplication.exit(context, () -> status);
            end.exit(status);
        };
    }

    /** Must match whenever the node is kept from starting: otherwise the application would neither consume nor exit. */
    static final class Asked implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return TopologyCommand.isAsked(context.getEnvironment());
        }
    }

    /** Ends the process; tests replace it. */
    @FunctionalInterface
    interface ExitHook {
        void exit(int status);
    }
}
