// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.autoconfigure.properties.IdsProperties;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.identity.Ancestry;
import io.safebunny.identity.IdScheme;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdSecretTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @Test
    void goesIntoTheIds() {
        Nodes.memory().withPropertyValues("safebunny.ids.secret=" + SECRET).run(context -> assertThat(
                        context.getBean(IdScheme.class)
                                .idOf(new Ancestry(
                                        "db19dadf-39d7-4529-836d-cb89e97bfb48",
                                        "e45168e9-f6be-8373-b4e7-8db02a91fc30",
                                        "billing",
                                        "PaymentCaptured",
                                        "1",
                                        1)))
                .isEqualTo("31c8e646-d8eb-890c-af1c-a92e17cf585c"));
    }

    @Test
    void isNotPrinted() {
        Nodes.memory().withPropertyValues("safebunny.ids.secret=" + SECRET).run(context -> assertThat(
                        context.getBean(IdsProperties.class) + " " + context.getBean(IdScheme.class))
                .doesNotContain(SECRET));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hunter2", "hunter2hunter2hunter2hunter2hun"})
    void isRefusedWhenItIsShortWithoutBeingShown(String secret) {
        Nodes.memory().withPropertyValues("safebunny.ids.secret=" + secret).run(context -> {
            Throwable failure = Objects.requireNonNull(context.getStartupFailure());
            assertThat(failure)
                    .rootCause()
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith(
                            "SB-1307 safebunny.ids.secret is too short [bytes=%d]: it must have at least 32."
                                    .formatted(secret.length()));
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).doesNotContain("hunter2");
        });
    }

    @Test
    void isRefusedWhenItIsAPlaceholderThatNothingResolves() {
        Nodes.memory()
                .withPropertyValues("safebunny.ids.secret=${A_VARIABLE_THAT_NOBODY_HAS_SET_ANYWHERE}")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageStartingWith("SB-1307 safebunny.ids.secret has an unresolved placeholder."));
    }

    @Test
    void isRefusedWhereItWouldDoNothing() {
        Nodes.memory()
                .withPropertyValues("safebunny.ids.secret=" + SECRET, "safebunny.ids.scheme=marker-mask")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContaining("SB-1307")
                        .hasMessageContaining("marker-mask")
                        .hasMessageNotContaining(SECRET));
    }
}
