// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.fixture.PaymentCaptured;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyAndOrdinalTest {

    /** Documented: whoever mixes both for one type in one handler gets one id for two messages. */
    @Test
    void theKeyOneIsTheFirstOrdinal() throws Exception {
        Publisher publisher = new Publisher();

        List<String> ids = Publisher.ids(publisher.handling(() -> {
            publisher.bunny.publish(new PaymentCaptured("o-1"));
            publisher.bunny.publish(
                    new PaymentCaptured("o-1"), PublishOptions.none().withIdempotencyKey("1"));
            publisher.bunny.publish(
                    new PaymentCaptured("o-1"), PublishOptions.none().withIdempotencyKey("2"));
        }));

        assertThat(ids.get(1)).isEqualTo(ids.get(0));
        assertThat(ids.get(2)).isNotEqualTo(ids.get(0));
    }
}
