// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;

/** A cache would have a message acknowledged without running its handler: one that equals an earlier one. */
class HandlerCachedTest {

    static class OnTheMethod {
        @Cacheable("orders")
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Cacheable("orders")
    static class OnTheClass {
        @BunnyHandler(from = "orders")
        public void on(OrderPlaced event) {}
    }

    static class AmongOthers {
        @Caching(cacheable = @Cacheable("orders"), evict = @CacheEvict("totals"))
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Cacheable("orders")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Remembered {}

    static class ByMetaAnnotation {
        @Remembered
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OnTheMethod.class, OnTheClass.class, AmongOthers.class, ByMetaAnnotation.class})
    void isRefusedWhereverTheAnnotationIs(Class<?> component) {
        try (Handlers handlers = new Handlers(component)) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(handlers::scan)
                    .withMessageContaining(component.getName())
                    .withMessageContaining("acknowledged unhandled")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1113"));
        }
    }

    static class Evicting {
        @CacheEvict("orders")
        @CachePut("latest")
        @Caching(evict = @CacheEvict("totals"))
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}

        @Cacheable("prices")
        public String price(String sku) {
            return sku;
        }
    }

    /** Spring caches public methods of such a class. */
    @Cacheable("orders")
    static class NotPublic {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {Evicting.class, NotPublic.class})
    void whatAlwaysRunsTheHandlerIsNot(Class<?> component) {
        try (Handlers handlers = new Handlers(component)) {
            assertThatCode(handlers::scan).doesNotThrowAnyException();
        }
    }
}
