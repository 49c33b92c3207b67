// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.BunnyOperations;
import io.safebunny.MessageContext;
import io.safebunny.ScheduledMessages;
import io.safebunny.Upcast;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.story.BunnyStory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;
import tools.jackson.databind.node.ObjectNode;

class AotTest {

    record Paid(String order, Receipt receipt) {}

    record Receipt(String number) {}

    static class Book {
        @BunnyHandler(from = "shop")
        void on(Paid paid) {}
    }

    @BunnyMessage(version = 2)
    record Refunded(String order) {

        @Upcast(from = 1)
        static ObjectNode renamed(ObjectNode body) {
            return body;
        }
    }

    static class Refunds {
        @BunnyHandler(from = "shop")
        void on(List<Refunded> refunded, List<MessageContext> contexts) {}
    }

    @BunnyMessage(orderBy = "article")
    record Moved(String article) {}

    @BunnyMessage(orderBy = "article")
    public static class Counted {

        private String article = "";

        public String getArticle() {
            return article;
        }

        public void setArticle(String article) {
            this.article = article;
        }
    }

    static class Shelf {
        @BunnyHandler(from = "shop", ordered = true, shards = "${shelf.shards:4}", listen = "${shelf.listen:}")
        void on(Moved moved) {}

        @BunnyHandler(from = "shop", ordered = true)
        void on(Counted counted) {}
    }

    @BunnySaga
    static class Shipping {
        record State(String order) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(Paid paid, SagaContext saga) {
            return new State(paid.order());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {}
    }

    @Test
    void aNativeImageKeepsWhatHandlersTakeAndReturn() throws NoSuchMethodException {
        RuntimeHints hints = process();

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Book.class.getDeclaredMethod("on", Paid.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Shipping.class.getDeclaredMethod("late", SagaContext.class)))
                .accepts(hints);
        for (Class<?> json : new Class<?>[] {Paid.class, Receipt.class, Refunded.class, Shipping.State.class}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(json)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                    .accepts(hints);
        }
        for (Class<?> given : new Class<?>[] {SagaContext.class, MessageContext.class}) {
            assertThat(RuntimeHintsPredicates.reflection().onType(given))
                    .as("only what is read from JSON")
                    .rejects(hints);
        }
    }

    @Test
    void aNativeImageCanReadTheOrderKeyOfWhatIsHandledInOrder() throws NoSuchMethodException {
        RuntimeHints hints = process();

        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Moved.class.getDeclaredMethod("article")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Counted.class.getDeclaredMethod("getArticle")))
                .accepts(hints);
    }

    @Test
    void aNativeImageCanUpcastEarlierBodies() throws NoSuchMethodException {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Refunded.class.getDeclaredMethod("renamed", ObjectNode.class)))
                .accepts(process());
    }

    @Test
    void aNativeImageKeepsWhatTheLibraryReadsByName() throws NoSuchMethodException {
        RuntimeHints hints = process();

        assertThat(RuntimeHintsPredicates.resource().forResource("META-INF/spring-configuration-metadata.json"))
                .accepts(hints);
        for (String file : new String[] {"io/safebunny/page/index.html", "io/safebunny/page/pages/now.js"}) {
            assertThat(RuntimeHintsPredicates.resource().forResource(file)).accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.resource().forResource("io/safebunny/jdbc/schema-postgresql.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(AbstractConnectionFactory.class.getDeclaredMethod("getAddresses")))
                .accepts(hints);
    }

    @Test
    void aNativeImageHasTheBeansThatLookTheEngineUp() {
        RuntimeHints hints = process();

        for (Class<?> type : new Class<?>[] {
            Bunny.class,
            BunnyOperations.class,
            Sagas.class,
            PoisonMessages.class,
            ScheduledMessages.class,
            BunnyStory.class
        }) {
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(type)).accepts(hints);
        }
    }

    private static RuntimeHints process() {
        GenericApplicationContext context = new GenericApplicationContext();
        TestPropertyValues.of("safebunny.transport=memory", "safebunny.node=shop", "safebunny.store.type=memory")
                .applyTo(context);
        AnnotatedBeanDefinitionReader reader = new AnnotatedBeanDefinitionReader(context);
        reader.register(Nodes.autoConfigurations().toArray(Class<?>[]::new));
        reader.register(Book.class, Refunds.class, Shelf.class, Shipping.class);
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("io.safebunny.generated", "Application")),
                new InMemoryGeneratedFiles());
        ClassName unused = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        return generation.getRuntimeHints();
    }
}
