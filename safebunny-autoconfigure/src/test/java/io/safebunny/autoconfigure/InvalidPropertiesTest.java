// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InvalidPropertiesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    safebunny.max-message-size     | 0B    | it must be 1B to 512MB
                    safebunny.listener.prefetch    | 0     | it must be 1 to 2000
                    safebunny.listener.prefetch    | 2001  | it must be 1 to 2000
                    safebunny.listener.messages-per-transaction | 0 | it must be 1 to 32
                    safebunny.listener.messages-per-transaction | 33 | it must be 1 to 32
                    safebunny.listener.batch-size | 0 | it must be 1 to 200
                    safebunny.listener.batch-size | 201 | it must be 1 to 200
                    safebunny.retry.max-retries    | -1    | it must be 0 to 1000
                    safebunny.retry.initial-interval | -1s | it must be 0s to 1h
                    safebunny.retry.multiplier     | 0.5   | it must be 1.0 to 1000.0
                    safebunny.retry.multiplier     | NaN   | it must be 1.0 to 1000.0
                    safebunny.retry.max-interval   | 2h    | it must be 0s to 1h
                    safebunny.retry.jitter         | 1.5   | it must be 0.0 to 1.0
                    safebunny.delayed-retry.delays | -10s  | it must be 0s to 365d
                    safebunny.publisher.max-concurrency | 0 | it must be 1 to 2000
                    safebunny.publisher.timeout    | 0s    | it must be 1ms to 1h
                    safebunny.publisher.max-in-flight | 0  | it must be 1 to 1000000
                    safebunny.bodies.compress-above | 0B   | it must be 1B to safebunny.max-message-size, 10485760B
                    safebunny.bodies.compress-above | -1B  | it must be 1B to safebunny.max-message-size, 10485760B
                    safebunny.bodies.compress-above | 11MB | it must be 1B to safebunny.max-message-size, 10485760B
                    safebunny.topology.delivery-limit | 4  | it must be 5 to 1000000
                    safebunny.poison.ttl           | 0s    | it must be 1ms to 365d
                    safebunny.poison.archive-ttl   | 0s    | it must be 1ms to 365d
                    safebunny.poison.max-length    | 0     | it must be 1 to 1000000000
                    safebunny.dedup.retention      | 0s    | it must be 1s to 3650d
                    safebunny.dedup.lease          | 0s    | it must be 1s to 1h
                    safebunny.topology.prefix      | amq.x | it must match [a-z0-9][a-z0-9_.-]*
                    """)
    void areRefusedWithPropertyValueAndWhatIsAllowed(String property, String value, String allowed) {
        Nodes.memory().withPropertyValues(property + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("[" + property + "=")
                    .hasMessageContaining(value)
                    .hasMessageContaining(allowed);
        });
    }

    @Test
    void adviceNamesTheDefault() {
        Nodes.memory().withPropertyValues("safebunny.listener.prefetch=0").run(context -> assertThat(
                        context.getStartupFailure())
                .rootCause()
                .hasMessage("SB-1301 Invalid property [safebunny.listener.prefetch=0]: it must "
                        + "be 1 to 2000."
                        + " Set safebunny.listener.prefetch to a value in that range,"
                        + " or remove it to get the default, 10."));
    }

    @ParameterizedTest
    @CsvSource({
        "safebunny.transport, kafka",
        "safebunny.topology.queue-type, stream",
        "safebunny.ids.scheme, random",
        "safebunny.store.type, redis"
    })
    void unknownChoicesAreRefusedByBinding(String property, String value) {
        Nodes.memory().withPropertyValues(property + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining(property)
                    .hasStackTraceContaining(value);
        });
    }
}
