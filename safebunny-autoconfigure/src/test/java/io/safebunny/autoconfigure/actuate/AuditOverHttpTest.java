// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.autoconfigure.actuate.audit.Audit;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Who did what, over HTTP. */
@Tag("once")
class AuditOverHttpTest {

    private static final String AUDIT = "safebunny/audit";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withPropertyValues(
                    "management.auditevents.enabled=false", "management.endpoint.safebunny.show-audit=always");

    record Charge(int cents) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            throw new IllegalStateException("the bank is closed");
        }
    }

    /** As an application keeps them. */
    private static ReactiveWebApplicationContextRunner keeping(AuditEventRepository repository) {
        return NODE.withBean(AuditEventRepository.class, () -> repository)
                .withBean(AuditListener.class, () -> new AuditListener(repository));
    }

    private static List<String> actions(AssertableReactiveWebApplicationContext context, String query) {
        return read(get(context, AUDIT + query), "$.events[*].action");
    }

    private static List<String> results(AssertableReactiveWebApplicationContext context) {
        return read(get(context, AUDIT), "$.events[*].result");
    }

    private static List<String> details(AssertableReactiveWebApplicationContext context, String action) {
        return read(get(context, AUDIT + "?action=" + action), "$.events[*].detail");
    }

    private static void pause(AssertableReactiveWebApplicationContext context, String type, String reason) {
        post(context, "safebunny/breakers/" + type, "{'state':'open','duration':'1h','reason':'" + reason + "'}");
    }

    @Test
    void anInstanceRemembersWhatWasDoneThereAndSaysWhatToDoToKeepIt() {
        NODE.run(context -> {
            pause(context, "Charge", "the bank is closed");
            post(context, "safebunnypoison/nobody", "{'action':'edit','copy':'none','body':'{}','reason':'a typo'}");
            post(context, "safebunnypoison", "{'action':'discard','all':true,'reason':'too old'}");

            Map<String, Object> all = read(get(context, AUDIT), "$");
            assertThat(all).containsEntry("kept", "INSTANCE").containsEntry("truncated", false);
            assertThat(all.get("note")).asString().contains("define a bean of type AuditEventRepository");
            assertThat(actions(context, "")).containsExactly("DISCARD", "EDIT_FAILED", "PAUSE");
            await().untilAsserted(() -> assertThat(results(context)).containsExactly("ENDED", "FAILED", "DONE"));
            assertThat((String) read(get(context, AUDIT), "$.events[0].detail")).isEqualTo("moved 0 of 0");
            assertThat((String) read(get(context, AUDIT), "$.events[1].detail")).contains("SB-5017");
            assertThat((String) read(get(context, AUDIT), "$.events[2].data.reason"))
                    .isEqualTo("the bank is closed");
            assertThat((String) read(get(context, AUDIT), "$.events[2].by")).isEqualTo("anonymous");

            assertThat(actions(context, "?action=PAUSE")).containsExactly("PAUSE");
            assertThat(actions(context, "?about=BANK")).containsExactly("PAUSE");
            assertThat(actions(context, "?by=ann")).isEmpty();
            assertThat(actions(context, "?limit=1")).containsExactly("DISCARD");
            assertThat((Boolean) read(get(context, AUDIT + "?limit=1"), "$.truncated"))
                    .isTrue();
            assertThat(texts(get(context, AUDIT + "?action=PAUSE"), "$.actions"))
                    .contains("DISCARD", "LOOK", "SAGA_RETRY_REFUSED")
                    .doesNotContain("DISCARD_MESSAGE");
            assertThat(actions(context, "?after=2100-01-01T00:00:00Z")).isEmpty();
            isProblem(get(context, AUDIT + "?after=yesterday"), 400, "after=yesterday");
            isProblem(get(context, AUDIT + "?limit=501"), 400, "limit=501");
            isProblem(get(context, AUDIT + "/more"), 404, "name=more");
        });
    }

    @Test
    void remembersTheLatestAndNoneOfSingleMessages() {
        NODE.run(context -> {
            Audit audit = context.getBean(Audit.class);
            audit.tell("bob", "PAUSE", Map.of("type", "Charge"));
            for (int i = 0; i < Audit.REMEMBERED + 50; i++) {
                audit.tell("ann", "LOOK", Map.of("messageId", "m-" + i));
                audit.tell("ann", "DISCARD_MESSAGE", Map.of("messageId", "m-" + i));
            }

            assertThat(audit.latest())
                    .hasSize(Audit.REMEMBERED + 1)
                    .extracting(AuditEvent::getType)
                    .containsOnly("SAFEBUNNY_LOOK", "SAFEBUNNY_PAUSE")
                    .endsWith("SAFEBUNNY_PAUSE");
            assertThat(audit.latest().get(0).getData()).containsEntry("messageId", "m-249");
        });
    }

    /** Whoever looks for who repaired something is not shown who only looked, and is told how often that was. */
    @Test
    void looksAreLeftOutAndCountedIfThatIsWanted() {
        NODE.run(context -> {
            Audit audit = context.getBean(Audit.class);
            audit.tell("bob", "PAUSE", Map.of("type", "Charge"));
            audit.tell("ann", "LOOK", Map.of("messageId", "m-1"));
            audit.tell("eve", "LOOK", Map.of("messageId", "m-2"));

            assertThat(actions(context, "?looks=false&limit=1")).containsExactly("PAUSE");
            Map<String, Object> left = read(get(context, AUDIT + "?looks=false&limit=1"), "$");
            assertThat(left).containsEntry("hiddenLooks", 2).containsEntry("truncated", false);
            assertThat((Integer) read(get(context, AUDIT + "?looks=false&by=ann"), "$.hiddenLooks"))
                    .isEqualTo(1);
            assertThat(actions(context, "?looks=true")).hasSize(3);
            assertThat((Integer) read(get(context, AUDIT), "$.hiddenLooks")).isZero();
            isProblem(get(context, AUDIT + "?looks=maybe"), 400, "looks=maybe");
            isProblem(get(context, AUDIT + "?looks=false&action=LOOK"), 400, "looks=false");
        });
    }

    /** What this instance remembers is all shown, as its note says. */
    @Test
    void whatAnInstanceRemembersIsNotTooOldToBeShown() {
        NODE.run(context -> {
            context.getBean(Audit.class).tell(Instant.EPOCH, "ann", "PAUSE", Map.of("type", "Charge"));

            assertThat(actions(context, "")).containsExactly("PAUSE");
        });
    }

    @Test
    void isNotShownToThoseWhoAreNotLoggedInUnlessThatIsWanted() {
        for (String setting : List.of("when-authorized", "never")) {
            NODE.withPropertyValues("management.endpoint.safebunny.show-audit=" + setting)
                    .run(context -> {
                        pause(context, "Charge", "the bank is closed");

                        HttpResponse<String> answer = get(context, AUDIT);
                        isProblem(answer, 403, "management.endpoint.safebunny.show-audit");
                        assertThat(answer.body()).doesNotContain("the bank is closed");
                    });
        }
    }

    @Test
    void tellsOfAnOperationWhatItDidOrWouldHaveDoneAndOfASingleMessageNoFigures() {
        InMemoryAuditEventRepository repository = new InMemoryAuditEventRepository();
        keeping(repository).run(context -> {
            for (int cents = 1; cents <= 2; cents++) {
                context.getBean(Bunny.class)
                        .publish(new Charge(cents), PublishOptions.none().withCorrelationId("c-" + cents));
            }
            await().until(() -> (Integer) read(get(context, "safebunnypoison"), "$.depth") == 2);
            post(context, "safebunnypoison", "{'action':'discard','all':true,'dryRun':true,'reason':'to count'}");
            await().untilAsserted(
                            () -> assertThat(details(context, "DISCARD")).containsExactly("would have moved 2 of 2"));
            post(context, "safebunnypoison", "{'action':'discard','all':true,'reason':'too old'}");
            await().untilAsserted(() -> assertThat(details(context, "DISCARD")).contains("moved 2 of 2"));
            String operation = read(get(context, AUDIT), "$.events[0].operation");
            repository.add(new AuditEvent("ann", "SAFEBUNNY_CANCEL", Map.of("operation", operation)));

            assertThat(details(context, "DISCARD_MESSAGE")).isEmpty();
            assertThat((String) read(get(context, AUDIT), "$.note"))
                    .contains("It is in memory: these are of this instance only");
            assertThat(texts(get(context, AUDIT + "?action=DISCARD_MESSAGE"), "$.events[*].result"))
                    .containsExactly("DONE", "DONE");
            assertThat(details(context, "CANCEL")).isEmpty();
            assertThat(texts(get(context, AUDIT + "?action=CANCEL"), "$.events[*].operation"))
                    .containsExactly(operation);
        });
    }

    /** A week of logins and of moved messages is more than anybody should read for a page. */
    @Test
    void asksARepositoryForNothingThatIsNotShown() {
        Set<String> asked = new CopyOnWriteArraySet<>();
        AuditEventRepository repository = new InMemoryAuditEventRepository() {
            @Override
            public List<AuditEvent> find(@Nullable String principal, @Nullable Instant after, @Nullable String type) {
                asked.add(String.valueOf(type));
                return super.find(principal, after, type);
            }
        };
        keeping(repository).run(context -> {
            pause(context, "Charge", "the bank is closed");

            assertThat(actions(context, "")).containsExactly("PAUSE");
            assertThat(asked)
                    .contains("SAFEBUNNY_PAUSE", "SAFEBUNNY_SAGA_FAIL", "SAFEBUNNY_REFUSED")
                    .allMatch(type -> type.startsWith("SAFEBUNNY_"))
                    .noneMatch(type -> type.endsWith("_MESSAGE"));
        });
    }

    /** Others' events are not ours to show. */
    @Test
    void showsOfTheApplicationsEventsThoseOfSafeBunny() {
        InMemoryAuditEventRepository repository = new InMemoryAuditEventRepository();
        keeping(repository).run(context -> {
            repository.add(new AuditEvent("ann", "AUTHENTICATION_FAILURE", Map.of("type", "bad password")));
            repository.add(new AuditEvent(
                    Instant.now().minusSeconds(60), "ann", "SAFEBUNNY_REPLAY", Map.of("operation", "of-another")));
            repository.add(new AuditEvent("ann", "SAFEBUNNY_REPLAY_MESSAGE", Map.of("messageId", "m-1")));
            pause(context, "Charge", "the bank is closed");

            assertThat((String) read(get(context, AUDIT), "$.kept")).isEqualTo("REPOSITORY");
            assertThat(actions(context, "")).containsExactly("PAUSE", "REPLAY");
            assertThat(results(context)).containsExactly("DONE", "BEGUN");
            assertThat(actions(context, "?by=ann")).containsExactly("REPLAY");
            assertThat(actions(context, "?action=REPLAY_MESSAGE")).containsExactly("REPLAY_MESSAGE");
            assertThat(get(context, AUDIT).body()).doesNotContain("AUTHENTICATION", "bad password");
        });
    }

    @Test
    void aRepositoryThatFailsIsSaidToAndTheInstanceTells() {
        AuditEventRepository failing = new AuditEventRepository() {
            @Override
            public void add(AuditEvent event) {}

            @Override
            public List<AuditEvent> find(@Nullable String principal, @Nullable Instant after, @Nullable String type) {
                throw new IllegalStateException("the table is gone: secret");
            }
        };
        keeping(failing).run(context -> {
            pause(context, "Charge", "the bank is closed");

            assertThat((String) read(get(context, AUDIT), "$.note"))
                    .contains("The AuditEventRepository failed with java.lang.IllegalStateException: check it.")
                    .doesNotContain("secret");
            assertThat(actions(context, "")).containsExactly("PAUSE");
        });
    }

    private static List<String> texts(HttpResponse<String> answer, String path) {
        return read(answer, path);
    }
}
