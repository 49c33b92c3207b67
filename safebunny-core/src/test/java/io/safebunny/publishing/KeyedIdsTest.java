// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Envelope;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** With a secret, who knows the idempotency key of a saga's first message knows neither its id nor its correlation. */
class KeyedIdsTest {

    private static final PublishOptions KEY = PublishOptions.none().withIdempotencyKey("order-42");

    private static Envelope started(LineageIdScheme scheme) {
        Publisher publisher = new Publisher(scheme);
        Published unused = publisher.bunny.publish(new PaymentCaptured("o-1"), KEY);
        return publisher.onlyOne();
    }

    @Test
    void goForTheStartOfASagaToo() {
        byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
        Envelope keyed = started(LineageIdScheme.withSecret(secret));
        Envelope plain = started(new LineageIdScheme());

        assertThat(keyed.correlationId())
                .as("the last of the vectors")
                .isEqualTo("b41e69df-2614-8946-841f-536bb8a3849e")
                .isNotEqualTo(plain.correlationId());
        assertThat(keyed.id()).isNotEqualTo(plain.id());
        assertThat(started(LineageIdScheme.withSecret(secret)).id()).isEqualTo(keyed.id());
    }
}
