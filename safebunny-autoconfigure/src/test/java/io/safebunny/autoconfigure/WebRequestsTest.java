// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** As long as a web server takes requests, they can publish: Tomcat and Netty, from the first moment to the last. */
@Timeout(60)
class WebRequestsTest {

    private static final int CLOSED = -1;
    private static final Executor OWN_THREAD = task -> new Thread(task, "of-the-test").start();

    private static ConfigurableApplicationContext start(WebApplicationType type, String shutdown) {
        return new SpringApplicationBuilder(Shop.class)
                .web(type)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "server.shutdown=" + shutdown,
                        "safebunny.node=shop",
                        "safebunny.transport=memory")
                .run("--spring.main.web-application-type=" + type.name().toLowerCase(Locale.ROOT));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Visitor visitor() {
            return new Visitor();
        }

        @Bean
        Orders orders(Bunny bunny) {
            return new Orders(bunny);
        }

        @Bean
        Last last(Visitor visitor) {
            return new Last(visitor);
        }

        @Bean
        First first() {
            return new First();
        }

        @Bean
        Handler handler() {
            return new Handler();
        }
    }

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced placed) {}
    }

    @RestController
    static class Orders {

        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        private final Bunny bunny;

        Orders(Bunny bunny) {
            this.bunny = bunny;
        }

        @GetMapping("/order")
        String order() {
            return bunny.publish(new OrderPlaced("1")).messageId();
        }

        @GetMapping("/slow-order")
        CompletableFuture<String> slowOrder() {
            begun.countDown();
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            mayEnd.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return order();
                    },
                    OWN_THREAD);
        }
    }

    /** Comes as soon as the port is open. */
    static class Visitor {

        final List<Integer> statuses = new CopyOnWriteArrayList<>();
        private final HttpClient http = HttpClient.newHttpClient();
        private volatile int port;

        @EventListener
        void open(WebServerInitializedEvent event) {
            port = event.getWebServer().getPort();
            visit();
        }

        void visit() {
            statuses.add(ask("/order")
                    .thenApply(HttpResponse::statusCode)
                    .exceptionally(refused -> CLOSED)
                    .join());
        }

        CompletableFuture<HttpResponse<String>> ask(String path) {
            return http.sendAsync(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    /** Stopped when everything is that comes after the web server. */
    static class Last extends Part {

        private final Visitor visitor;

        Last(Visitor visitor) {
            super(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE + 1);
            this.visitor = visitor;
        }

        @Override
        public void stop() {
            super.stop();
            visitor.visit();
        }
    }

    /** Stopped before requests are drained. */
    static class First extends Part {

        final CountDownLatch stopped = new CountDownLatch(1);

        First() {
            super(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1);
        }

        @Override
        public void stop() {
            super.stop();
            stopped.countDown();
        }
    }

    abstract static class Part implements SmartLifecycle {

        private final int phase;
        private volatile boolean running;

        Part(int phase) {
            this.phase = phase;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void canPublishAsSoonAsThePortIsOpen(WebApplicationType type) {
        try (ConfigurableApplicationContext shop = start(type, "graceful")) {
            assertThat(shop.getBean(Visitor.class).statuses).containsExactly(200);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void canPublishUntilThePortIsClosed(WebApplicationType type) {
        ConfigurableApplicationContext shop = start(type, "immediate");
        Visitor visitor = shop.getBean(Visitor.class);
        visitor.statuses.clear();

        shop.close();

        assertThat(visitor.statuses).containsExactly(200);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void canPublishWhileTheyAreDrained(WebApplicationType type) throws InterruptedException {
        ConfigurableApplicationContext shop = start(type, "graceful");
        Orders orders = shop.getBean(Orders.class);
        First first = shop.getBean(First.class);
        CompletableFuture<HttpResponse<String>> answer =
                shop.getBean(Visitor.class).ask("/slow-order");
        orders.begun.await();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(shop::close, OWN_THREAD);
        first.stopped.await();
        orders.mayEnd.countDown();

        assertThat(answer.join().statusCode()).isEqualTo(200);
        closed.join();
    }
}
