// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.Map;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ValidPayloadTest {

    private static final Line BLANK = new Line(" ");

    private final ApplicationContextRunner runner = Nodes.memory()
            .withBean(Handler.class)
            .withBean(Validator.class, () -> Validation.byDefaultProvider()
                    .configure()
                    .messageInterpolator(new ParameterMessageInterpolator())
                    .buildValidatorFactory()
                    .getValidator());

    record Line(@NotBlank(message = "must not be blank") String sku) {}

    record Cart(
            @Positive(message = "must be positive") long cents,
            List<@Valid Line> lines,
            Map<String, @Valid Line> notes) {}

    static class Handler {
        final Received<Cart> received = new Received<>();

        @BunnyHandler(from = "shop")
        void on(@Valid Cart cart) {
            received.add(cart);
        }
    }

    private static WireMessage poisoned(AssertableApplicationContext context, Cart cart) throws InterruptedException {
        Received<WireMessage> poison = new Received<>();
        try (MemoryTransport reader =
                new MemoryTransport(context.getBean(MemoryBroker.class), TopologyOptions.defaults())) {
            Consumption unused = reader.consume("shop-poison", 1, delivery -> {
                poison.add(delivery.message().message());
                delivery.acknowledge();
            });
            context.getBean(Bunny.class).publish(cart);
            return poison.next();
        }
    }

    @Test
    void reachesItsHandlerWhenItIsValid() {
        runner.run(context -> {
            Cart cart = new Cart(1, List.of(new Line("a")), Map.of());
            context.getBean(Bunny.class).publish(cart);

            assertThat(context.getBean(Handler.class).received.next()).isEqualTo(cart);
        });
    }

    @Test
    void isPoisonAtOnceWhenItIsNotAndSaysWhyWithoutItsValues() {
        runner.run(context -> {
            WireMessage poison = poisoned(
                    context, new Cart(-777_777_777, List.of(new Line("a"), BLANK), Map.of("tango-tango", BLANK)));

            assertThat(poison.headers())
                    .containsEntry(Headers.POISON_REASON, "handler-failed")
                    .containsEntry(
                            Headers.EXCEPTION_MESSAGE,
                            "SB-3001 The payload is not valid [handler=validPayloadTest.Handler.on(Cart)]: cents must be positive;"
                                    + " lines[1].sku must not be blank; notes[].sku must not be blank.");
            // values that occur in no id, time or line number
            assertThat(poison.headers().toString()).doesNotContain("tango").doesNotContain("777777777");
            assertThat(context.getBean(Handler.class).received.waiting()).isZero();
        });
    }

    @Test
    void isCheckedAsMiddlewaresMadeItAndNotAsDelivered() {
        Cart valid = new Cart(1, List.of(), Map.of());
        Cart invalid = new Cart(-7, List.of(), Map.of());
        runner.withBean(ConsumeMiddleware.class, () -> (context, next) -> {
                    context.replacePayload(context.payload().equals(invalid) ? valid : invalid);
                    next.run();
                })
                .run(context -> {
                    context.getBean(Bunny.class).publish(invalid);

                    assertThat(context.getBean(Handler.class).received.next()).isEqualTo(valid);
                    assertThat(poisoned(context, valid).headers().get(Headers.EXCEPTION_MESSAGE))
                            .asString()
                            .endsWith("cents must be positive.");
                });
    }

    @Test
    void saysNoMoreThanFiveOfManyThings() {
        runner.run(context -> assertThat(poisoned(
                                context,
                                new Cart(1, List.of(BLANK, BLANK, BLANK, BLANK, BLANK, BLANK, BLANK), Map.of()))
                        .headers()
                        .get(Headers.EXCEPTION_MESSAGE))
                .asString()
                .endsWith("lines[4].sku must not be blank; and 2 more."));
    }

    @Test
    void saysNothingWhereTextsAreNotWanted() {
        runner.withPropertyValues("safebunny.poison.exception-details=type-only")
                .run(context -> assertThat(poisoned(context, new Cart(-7, List.of(), Map.of()))
                                .headers()
                                .toString())
                        .contains("PoisonMessageException")
                        .doesNotContain("positive"));
    }

    @Test
    void isRefusedAtStartWithoutAValidator() {
        Nodes.memory().withBean(Handler.class).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("SB-1106 A payload cannot be validated [handler=")
                .hasMessageContaining("spring-boot-starter-validation"));
    }
}
