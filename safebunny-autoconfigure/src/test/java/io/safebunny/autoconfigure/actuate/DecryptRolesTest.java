// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.test.encryption.MemoryKeys;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/** Who may see a body that is encrypted in the poison queue. */
@Tag("once")
class DecryptRolesTest {

    private static final String SECRET = "4711-0815";
    private static final String DECRYPT_ROLES = "management.endpoint.safebunnypoison.decrypt-roles";

    private static final ApplicationContextRunner NODE = EndpointCalls.node()
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=safebunny,safebunnypoison",
                    "management.endpoint.safebunnypoison.show-bodies=always",
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=")
            .withBean(KeyProvider.class, () -> MemoryKeys.of("cards"))
            .withBean(Cards.class)
            .withBean(Heard.class);

    @Encrypted(key = "cards")
    record CardCharged(String pan) {}

    record OrderPlaced(String orderId) {}

    static class Cards {
        @BunnyHandler(from = "shop")
        void on(CardCharged charged) {
            throw new PoisonMessageException("refused");
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced placed) {
            throw new PoisonMessageException("refused");
        }
    }

    static class Heard {
        private final List<String> looks = new CopyOnWriteArrayList<>();

        @EventListener
        void on(AuditApplicationEvent event) {
            looks.add(event.getAuditEvent().getType() + " "
                    + event.getAuditEvent().getData());
        }
    }

    private record User(Set<String> roles) implements SecurityContext {
        @Override
        public Principal getPrincipal() {
            return () -> "ann";
        }

        @Override
        public boolean isUserInRole(String role) {
            return roles.contains(role);
        }
    }

    private static final User SUPPORT = new User(Set.of("SUPPORT"));
    private static final User SECURITY = new User(Set.of("SECURITY"));

    private static String poison(ApplicationContext context, Object payload) {
        String id = context.getBean(Bunny.class).publish(payload).messageId();
        PoisonMessages poison = context.getBean(PoisonMessages.class);
        await().until(() ->
                !poison.list(PoisonFilter.all().withMessageId(id)).messages().isEmpty());
        return id;
    }

    private static @Nullable Object look(
            ApplicationContext context, String id, SecurityContext user, Map<String, Object> more) {
        Map<String, Object> asked = new HashMap<>(more);
        asked.put("id", new String[] {id});
        return EndpointCalls.call(context, WebEndpointHttpMethod.GET, "safebunnypoison/{*id}", asked, user);
    }

    private static String looked(ApplicationContext context, String id, SecurityContext user) {
        return String.valueOf(look(context, id, user, Map.of()));
    }

    private static Object statusOfTest(ApplicationContext context, String id, SecurityContext user) {
        Object answer = look(context, id, user, Map.of("as", "test"));
        return answer instanceof WebEndpointResponse<?> response
                ? response.getStatus()
                : new String((byte[]) Objects.requireNonNull(answer), StandardCharsets.UTF_8);
    }

    @Test
    void whoMaySeeBodiesMayNotSeeEncryptedOnes() {
        NODE.run(context -> {
            String id = poison(context, new CardCharged(SECRET));
            for (User user : List.of(SUPPORT, SECURITY)) {
                assertThat(looked(context, id, user)).contains("not shown: it is encrypted", DECRYPT_ROLES);
                assertThat(looked(context, id, user)).doesNotContain(SECRET);
                assertThat(statusOfTest(context, id, user)).isEqualTo(403);
            }
            assertThat(context.getBean(Heard.class).looks)
                    .noneMatch(one -> one.contains("LOOK"))
                    .anyMatch(one -> one.contains("REFUSED") && one.contains(DECRYPT_ROLES));
        });
    }

    @Test
    void whoHasOneOfTheRolesMayAndIsAudited() {
        NODE.withPropertyValues(DECRYPT_ROLES + "=SECURITY").run(context -> {
            String id = poison(context, new CardCharged(SECRET));

            assertThat(looked(context, id, SUPPORT)).contains("not shown").doesNotContain(SECRET);
            assertThat(looked(context, id, SecurityContext.NONE)).doesNotContain(SECRET);
            assertThat(statusOfTest(context, id, SUPPORT)).isEqualTo(403);
            assertThat(context.getBean(Heard.class).looks).noneMatch(one -> one.contains("decrypted=true"));

            assertThat(looked(context, id, SECURITY)).contains(SECRET);
            assertThat(context.getBean(Heard.class).looks).anyMatch(one -> one.contains("decrypted=true"));
            assertThat(String.valueOf(statusOfTest(context, id, SECURITY))).contains(SECRET);
        });
    }

    @Test
    void whatIsNotEncryptedNeedsNoSuchRole() {
        NODE.run(context -> {
            String id = poison(context, new OrderPlaced("o-4"));

            assertThat(looked(context, id, SUPPORT)).contains("o-4");
            assertThat(context.getBean(Heard.class).looks).noneMatch(one -> one.contains("decrypted"));
        });
    }

    @Test
    void theRolesAloneShowNothing() {
        NODE.withPropertyValues("management.endpoint.safebunnypoison.show-bodies=never", DECRYPT_ROLES + "=SECURITY")
                .run(context -> {
                    String id = poison(context, new CardCharged(SECRET));
                    assertThat(looked(context, id, SECURITY)).doesNotContain(SECRET);
                });
    }
}
