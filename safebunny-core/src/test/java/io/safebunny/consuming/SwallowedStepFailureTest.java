// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.Published;
import io.safebunny.fixture.PaymentCaptured;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A step that returned nothing has been run, and nobody knows with what result. */
class SwallowedStepFailureTest {

    private final List<@Nullable Throwable> failures = new ArrayList<>();

    private Node node(boolean remembers) {
        return new Node(
                remembers,
                Node.SIX_ATTEMPTS,
                (context, next) -> {
                    try {
                        next.run();
                    } catch (PoisonMessageException e) {
                        next.run();
                    }
                },
                new After((context, next) -> failures.add(context.failure())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("NullAway") // what a handler written without it may do
    void endsTheHandlingWhateverTheHandlerAndAMiddlewareMakeOfIt(boolean remembers) {
        Node node = node(remembers);
        node.handler = (payload, context) -> {
            try {
                Object unused = context.once("charge", Object.class, () -> null);
            } catch (PoisonMessageException e) {
                Published unused = node.bunny().publish(new PaymentCaptured("declined"));
            }
        };
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(failures).isNotEmpty().allSatisfy(failure -> assertThat(failure)
                .isInstanceOf(PoisonMessageException.class));
        assertThat(node.transport.published()).isEmpty();
        assertThat(node.transport.poisoned()).hasSize(1);
    }
}
