// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.encryption.BunnySubjects;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.SubjectKeys;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Erasing a person over HTTP: with a dry run, and without their name in any URL, answer or audit. */
class SubjectsOverHttpTest {

    private static final String SUBJECTS = "safebunny/subjects";
    private static final String ADA = "ada@example.org";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(KeyProvider.class, () -> MemoryKeys.of("payments", "subjects"))
            .withBean(SubjectKeys.class, MemorySubjectKeys::new)
            .withBean(Charges.class)
            .withPropertyValues("safebunny.store.type=memory", "management.endpoint.safebunny.show-audit=always");

    @Encrypted(key = "payments", subject = "customer")
    record Charged(String customer) {}

    static class Charges {
        @BunnyHandler(from = "shop")
        void on(Charged charged) {}
    }

    private static HttpResponse<String> erase(
            AssertableReactiveWebApplicationContext context, String subject, boolean dryRun) {
        return post(
                context,
                SUBJECTS,
                "{'action':'erase','subject':'%s','dryRun':%s,'reason':'request 17'}".formatted(subject, dryRun));
    }

    @Test
    void erasesAPersonAfterADryRunAndTellsTheAuditTheirHashAlone() {
        NODE.run(context -> {
            context.getBean(Bunny.class).publish(new Charged(ADA));

            HttpResponse<String> looked = erase(context, ADA, true);
            assertThat(looked.statusCode()).as(looked.body()).isEqualTo(200);
            assertThat((Boolean) read(looked, "$.hadKey")).isTrue();
            Object before = read(looked, "$.erasedAt");
            assertThat(before).isNull();
            assertThat(context.getBean(BunnySubjects.class).find(ADA).hadKey()).isTrue();

            HttpResponse<String> erased = erase(context, ADA, false);
            assertThat((Boolean) read(erased, "$.hadKey")).isTrue();
            assertThat((String) read(erased, "$.erasedAt")).isNotEmpty();
            assertThat((String) read(erased, "$.holdsFrom")).isNotEmpty();
            HttpResponse<String> again = erase(context, ADA, false);
            assertThat((Boolean) read(again, "$.hadKey")).isFalse();
            assertThat((String) read(again, "$.erasedAt")).isEqualTo(read(erased, "$.erasedAt"));

            String hash = read(erased, "$.subject");
            String audit = get(context, "safebunny/audit").body();
            assertThat(audit).contains("ERASE", "request 17", hash);
            assertThat(audit + looked.body() + erased.body()).doesNotContain(ADA);
        });
    }

    @Test
    void refusesWhatIsNotARequestWithoutRepeatingThePerson() {
        NODE.run(context -> {
            for (String body : new String[] {
                "{'action':'forget','subject':'%s'}",
                "{'action':'erase','subject':'%s','scope':'node'}",
                "{'action':'erase','subject':'%s','dryRun':'perhaps'}",
                "{'action':'erase','subject':'%s','reason':'REASON'}",
                "{'action':'erase'}",
                "{'action':'erase','subject':' '}"
            }) {
                HttpResponse<String> refused = post(context, SUBJECTS, body.formatted(ADA));
                assertThat(refused.statusCode()).as(body).isEqualTo(400);
                assertThat(refused.body()).doesNotContain(ADA);
            }
            HttpResponse<String> elsewhere =
                    post(context, "safebunny/breakers/Charged", "{'state':'closed','subject':'%s'}".formatted(ADA));
            assertThat(elsewhere.statusCode()).isEqualTo(400);
            assertThat(elsewhere.body()).contains("subjects").doesNotContain(ADA);
            assertThat(post(context, SUBJECTS + "/ada", "{'action':'erase'}").statusCode())
                    .isEqualTo(404);
        });
    }

    @Test
    void saysWhatANodeWithoutKeysOfPersonsNeeds() {
        HttpCalls.node().withPropertyValues("safebunny.store.type=memory").run(context -> {
            assertThat((Boolean) read(get(context, SUBJECTS), "$.present")).isFalse();
            HttpResponse<String> refused = erase(context, ADA, false);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("docs/erasure.md");
        });
    }
}
