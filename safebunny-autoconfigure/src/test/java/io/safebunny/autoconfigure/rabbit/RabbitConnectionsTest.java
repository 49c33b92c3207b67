// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.autoconfigure.Nodes;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.SafeBunnyOptions;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.SimpleRoutingConnectionFactory;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the connections are made of; nothing here connects. */
class RabbitConnectionsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RabbitTransportAutoConfiguration.class, Nodes.threads()))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    @Test
    void takeEverySettingFromSpringsOwn() {
        runner.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues(
                        "spring.rabbitmq.addresses=rabbit1:5673,rabbit2:5674",
                        "spring.rabbitmq.username=me",
                        "spring.rabbitmq.virtual-host=orders",
                        "spring.rabbitmq.requested-heartbeat=7s")
                .run(context -> {
                    RabbitConnections connections = context.getBean(RabbitConnections.class);
                    CachingConnectionFactory publish = (CachingConnectionFactory) connections.publish();
                    assertThat(publish.toString()).contains("addresses=[rabbit1:5673, rabbit2:5674]");
                    assertThat(publish.getUsername()).isEqualTo("me");
                    assertThat(publish.getVirtualHost()).isEqualTo("orders");
                    assertThat(publish.getRabbitConnectionFactory().getRequestedHeartbeat())
                            .isEqualTo(7);
                    assertThat(publish.getRabbitConnectionFactory().isAutomaticRecoveryEnabled())
                            .isFalse();
                });
    }

    @Test
    void leaveSpringsOwnUntouchedAndTheOnlyBean() {
        runner.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .run(context -> {
                    CachingConnectionFactory boots = context.getBean(CachingConnectionFactory.class);
                    RabbitConnections connections = context.getBean(RabbitConnections.class);
                    assertThat(connections.publish())
                            .isNotSameAs(boots)
                            .isNotSameAs(connections.all().consume());
                    assertThat(((CachingConnectionFactory) connections.publish()).getRabbitConnectionFactory())
                            .isNotSameAs(boots.getRabbitConnectionFactory());
                });
    }

    @Test
    void takeAFactoryThatTheApplicationMadeItself() {
        CachingConnectionFactory own = new CachingConnectionFactory("own-host", 5999);
        runner.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withBean(ConnectionFactory.class, () -> own)
                .run(context -> {
                    RabbitConnections connections = context.getBean(RabbitConnections.class);
                    assertThat(connections.publish().getHost()).isEqualTo("own-host");
                    assertThat(connections.all().consume().getPort()).isEqualTo(5999);
                });
    }

    /** As Docker Compose support and Testcontainers' {@code @ServiceConnection} define it. */
    @Test
    void takeAServiceConnection() {
        RabbitConnectionDetails details = new RabbitConnectionDetails() {
            @Override
            public String getUsername() {
                return "of-container";
            }

            @Override
            public String getPassword() {
                return "secret";
            }

            @Override
            public List<Address> getAddresses() {
                return List.of(new Address("container", 49152));
            }
        };
        runner.withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withBean(RabbitConnectionDetails.class, () -> details)
                .run(context -> {
                    RabbitConnections connections = context.getBean(RabbitConnections.class);
                    CachingConnectionFactory consume =
                            (CachingConnectionFactory) connections.all().consume();
                    assertThat(consume.toString()).contains("addresses=[container:49152]");
                    assertThat(consume.getUsername()).isEqualTo("of-container");
                    assertThat(consume.getRabbitConnectionFactory().getPassword())
                            .isEqualTo("secret");
                });
    }

    /** Boot 4.2 renames the package. */
    @Test
    void needNothingOfBootsAmqpPackage() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.amqp"))
                .withBean(ConnectionFactory.class, () -> new CachingConnectionFactory("renamed", 5998))
                .run(context -> assertThat(context.getBean(RabbitConnections.class)
                                .publish()
                                .getHost())
                        .isEqualTo("renamed"));
    }

    @Test
    void refuseAFactoryThatCannotBeCopied() {
        SimpleRoutingConnectionFactory routing = new SimpleRoutingConnectionFactory();
        routing.setDefaultTargetConnectionFactory(new CachingConnectionFactory());
        runner.withBean(ConnectionFactory.class, () -> routing).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1305")
                .hasMessageContaining(SimpleRoutingConnectionFactory.class.getName())
                .hasMessageContaining("CachingConnectionFactory"));
    }

    @Test
    void needAFactory() {
        runner.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("SB-1304")
                .hasMessageContaining("safebunny.transport=memory"));
    }

    @Test
    void sayWhenThereAreTwo() {
        runner.withBean("one", ConnectionFactory.class, CachingConnectionFactory::new)
                .withBean("two", ConnectionFactory.class, CachingConnectionFactory::new)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .satisfies(failure -> assertThat(
                                        String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT))
                                .contains("there are 2 beans", "@primary")));
    }
}
