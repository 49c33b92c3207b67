// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyOperations;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.proxy.TcpProxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two instances of a node on a real broker: the page of one tells what the other one holds. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class OtherInstancesIT {

    private static final String FINE = "Nothing is stuck.";

    /** Of its own, because all of them are the node that the handlers name. */
    private final TestBroker broker = TestBroker.shared().createVirtualHost("instances-" + UUID.randomUUID());

    @AfterEach
    void deleteVirtualHost() {
        TestBroker.shared().deleteVirtualHost(broker.virtualHost());
    }

    private Site start() {
        return start(broker.port());
    }

    private Site start(int port) {
        return Site.start(
                Variant.PLAIN,
                "safebunny.transport=rabbit",
                "spring.rabbitmq.addresses=" + broker.host() + ":" + port,
                "spring.rabbitmq.username=" + broker.username(),
                "spring.rabbitmq.password=" + broker.password(),
                "spring.rabbitmq.virtual-host=" + broker.virtualHost());
    }

    /** Three copies. */
    private static void setAside(Site site) {
        String[] orders = {"order-1", "order-2", "order-2"};
        for (int i = 0; i < orders.length; i++) {
            Incidents.publish(site, orders[i], new Charge(orders[i], "a gift"));
            Incidents.awaitPoison(site, i + 1);
        }
    }

    /** It holds the first copy, which does not match, and has moved the second one; the third one is due in ten minutes. */
    private static PoisonOperation beginAt(Site site) {
        PoisonOperation operation = site.bean(PoisonMessages.class)
                .discard(PoisonRequest.of(
                                PoisonFilter.all().withCorrelationId("order-2"), "annabel", "one in ten minutes")
                        .atRate(1 / 600.0));
        await().until(() -> operation.progress().moved() == 1);
        return operation;
    }

    private static HttpResponse<String> answer(Site site, String method, String operation) {
        URI place = site.address().resolve("safebunny/operations/" + operation);
        return HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(place)
                                .method(method, BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString())
                .join();
    }

    @Test
    void nothingIsSaidToBeWellOfWhatAnotherInstanceHolds(Browser browser) {
        try (Site looking = start();
                Site moving = start()) {
            looking.open(browser, Place.NOW.fragment());
            setAside(moving);
            browser.shows("3 messages are set aside");
            PoisonOperation operation = beginAt(moving);
            String instance = moving.bean(BunnyOperations.class).instance();

            browser.shows("Operation %s on poison messages runs at instance %s".formatted(operation.id(), instance));
            browser.shows("1 are held by operations");
            assertThat(browser.text()).doesNotContain(FINE);
            assertThat(browser.barriers()).isEmpty();

            looking.open(browser, Place.POISON.fragment());
            browser.shows("Operations that run at other instances", instance);
            assertThat(browser.barriers()).isEmpty();
            browser.click(operation.id());
            browser.shows(
                    "Moved 1 of 1 that were looked at.",
                    "1, which nobody else sees until it ends",
                    "Instance " + instance + " has begun it",
                    "only there can it be stopped");
            assertThat(browser.has("Stop…")).isFalse();
            assertThat(browser.text()).doesNotContain("annabel", "one in ten minutes");
            assertThat(browser.barriers()).isEmpty();

            operation.cancel();
            await().until(() -> operation.progress().state() == RunState.CANCELLED);
            browser.shows("cancelled");
            looking.open(browser, "#/audit");
            browser.shows("Operations of other instances", operation.id(), "discard", "cancelled", "1 of 1");
            assertThat(browser.text()).doesNotContain("annabel", "one in ten minutes");
            assertThat(browser.barriers()).isEmpty();
            looking.open(browser, "#/audit?by=annabel");
            browser.shows("Nobody has done anything that this filter finds.");
            assertThat(browser.text()).doesNotContain("Operations of other instances");
            looking.open(browser, Place.NOW.fragment());
            browser.shows("2 messages are set aside");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** Nobody who may only write to the broker can end it, and whoever has not answered may have it. */
    @Test
    void itsProgressIsToldAndOnlyItsInstanceEndsIt() {
        try (TcpProxy cable = TcpProxy.to(broker.host(), broker.port());
                Site looking = start();
                Site moving = start(cable.port())) {
            setAside(moving);
            PoisonOperation operation = beginAt(moving);
            String instance = moving.bean(BunnyOperations.class).instance();
            await().until(() -> answer(looking, "GET", operation.id()).statusCode() == 200);

            assertThat(answer(looking, "GET", operation.id()).body())
                    .contains("\"instance\":\"" + instance, "\"elsewhere\":true", "\"held\":1", "\"moved\":1")
                    .doesNotContain("annabel", "one in ten minutes");
            HttpResponse<String> refused = answer(looking, "DELETE", operation.id());
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(refused.body())
                    .contains("Instance %s has begun operation %s, and only that one can end it"
                            .formatted(instance, operation.id()));
            assertThat(operation.progress().state()).isEqualTo(RunState.RUNNING);
            assertThat(answer(looking, "GET", "nobody").statusCode()).isEqualTo(404);
            assertThat(answer(looking, "GET", "nobody").body()).doesNotContain(instance);

            cable.refuse();
            cable.cut();
            await().until(() -> answer(looking, "GET", operation.id()).statusCode() == 404);
            for (String method : List.of("GET", "DELETE")) {
                HttpResponse<String> unknown = answer(looking, method, operation.id());
                assertThat(unknown.statusCode()).isEqualTo(404);
                assertThat(unknown.body())
                        .contains("Of the other instances, %s did not say what it has: ask there".formatted(instance));
            }
            cable.accept();
        }
    }
}
