// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.test.encryption.MemoryKeys;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Which keys are in use, over HTTP: a look is begun, and its result asked for. */
class KeysOverHttpTest {

    private static final String KEYS = "safebunny/keys";
    private static final String LOOK = "{'action':'look','reason':'payments-1 is to go'}";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(KeyProvider.class, () -> MemoryKeys.of("payments", "spare"))
            .withBean(Charges.class)
            .withPropertyValues("safebunny.store.type=memory", "management.endpoint.safebunny.show-audit=always");

    @Encrypted(key = "payments")
    record Charged(String pan) {}

    static class Charges {
        @BunnyHandler(from = "shop")
        void on(Charged charged) {
            throw new PoisonMessageException("fails");
        }
    }

    @Test
    void tellsWhereAKeyIsInUseAndWhatIsNotKnown() {
        NODE.run(context -> {
            assertThat((String) read(get(context, KEYS), "$.note")).contains("\"action\":\"look\"");
            context.getBean(Bunny.class).publish(new Charged("4711"));
            await().until(() -> get(context, "safebunnypoison").body().contains("Charged"));

            HttpResponse<String> begun = post(context, KEYS, LOOK);
            assertThat(begun.statusCode()).as(begun.body()).isEqualTo(200);
            await().until(() -> read(get(context, KEYS), "$.endedAt") != null);

            HttpResponse<String> of = get(context, KEYS + "?key=payments-1");
            assertThat((Integer) read(of, "$.keys.payments-1['poison queue']")).isEqualTo(1);
            assertThat((Boolean) read(of, "$.key.removable")).isFalse();
            assertThat((String) read(of, "$.key.sentence"))
                    .startsWith("payments-1 is in use at instance ")
                    .contains("poison queue (1)", "what this instance encrypts");
            HttpResponse<String> unused = get(context, KEYS + "?key=payments-0");
            assertThat((String) read(unused, "$.key.sentence"))
                    .startsWith("It is not known whether payments-0 can be removed")
                    .contains("queues: they cannot be searched", "unsentSince");
            HttpResponse<String> misspelled = get(context, KEYS + "?key=payments&unsentSince=2020-01-01T00:00:00Z");
            assertThat((String) read(misspelled, "$.key.sentence"))
                    .contains("no key of this id was found", "payments-1");
            HttpResponse<String> removable = get(context, KEYS + "?key=spare-1&unsentSince=2020-01-01T00:00:00Z");
            assertThat((Boolean) read(removable, "$.key.removable"))
                    .as(removable.body())
                    .isTrue();
            assertThat(get(context, "safebunny/audit").body()).contains("KEYS", "payments-1 is to go");
        });
    }

    @Test
    void refusesATimeThatIsNone() {
        NODE.run(context -> {
            HttpResponse<String> wrong = get(context, KEYS + "?key=payments-0&unsentSince=yesterday");

            assertThat(wrong.statusCode()).isEqualTo(400);
            assertThat(wrong.body()).contains("unsentSince", "2026-05-03T08:00:00Z");
        });
    }
}
