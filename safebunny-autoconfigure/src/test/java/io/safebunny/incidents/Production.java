// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incidents;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The workshop as it runs in production, with its endpoints over HTTP. */
final class Production implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    /** @param properties more of them */
    Production(WebApplicationType web, Class<?>[] more, String... properties) {
        Class<?>[] classes =
                Stream.concat(Stream.of(Workshop.class), Arrays.stream(more)).toArray(Class<?>[]::new);
        context = new SpringApplicationBuilder(classes)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "safebunny.node=" + Workshop.NODE,
                        "safebunny.store.type=memory",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=",
                        "management.endpoints.web.exposure.include=*")
                .properties(properties)
                .run("--spring.main.web-application-type=" + web.name().toLowerCase(Locale.ROOT));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    void publish(String id, Object payload, PublishOptions options) {
        bean(Bunny.class).publish(payload, options.withCorrelationId(id));
    }

    void publish(String id, Object payload) {
        publish(id, payload, PublishOptions.none());
    }

    /** Waits until the only saga of that id is so. */
    SagaView awaitSaga(String id, Predicate<SagaView> so) {
        return Awaitility.await()
                .until(
                        () -> bean(Sagas.class).find(id).stream()
                                .filter(so)
                                .findFirst()
                                .orElse(null),
                        saga -> saga != null);
    }

    /** Waits for the only poison message with that correlation id. */
    PoisonedMessage awaitPoison(String id) {
        return Awaitility.await()
                .until(
                        () ->
                                bean(PoisonMessages.class)
                                        .list(PoisonFilter.all().withCorrelationId(id))
                                        .messages()
                                        .stream()
                                        .findFirst()
                                        .orElse(null),
                        message -> message != null);
    }

    private WebServer server() {
        return Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer());
    }

    HttpResponse<String> get(String path) {
        URI uri = URI.create("http://127.0.0.1:%s/actuator/%s".formatted(server().getPort(), path));
        try {
            return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
