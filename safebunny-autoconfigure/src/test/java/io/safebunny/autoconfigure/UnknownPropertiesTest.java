// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTest {

    private static List<String> told(CapturedOutput output) {
        return Arrays.stream(output.getAll().split("\\R", -1))
                .filter(line -> line.contains("UnknownProperties"))
                .map(line -> line.substring(line.indexOf("UnknownProperties")))
                .toList();
    }

    private static void withVariable(ConfigurableApplicationContext context, String name) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", Map.of(name, "hunter2")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "safebunny.listner.prefetch",
                "safebunny.listener.pre-fecth",
                "safebunny.prefetch",
                "safebunny.max.message.size",
                "safebunny.store.jdbc.time",
                "safebunny.listener.prefetch.max",
                "safebunny.colour",
                "safebunny.outbox.batch-size",
                "safebunny.store.cosmos.endpoint",
                "management.endpoint.safebunny.write-role",
                "management.endpoint.safebunnypoison.show-body",
                "management.endpoint.safebunnyui.roles"
            })
    void areToldWithoutTheirValue(String property, CapturedOutput output) {
        Nodes.memory().withPropertyValues(property + "=hunter2").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(told(output))
                    .singleElement()
                    .asString()
                    .contains("Unknown property [" + property + "] is ignored: it is set in ")
                    .endsWith("or look up its name in docs/configuration.md");
            assertThat(output).doesNotContain("hunter2");
        });
    }

    @Test
    void areToldEvenWhenTheStartFails(CapturedOutput output) {
        Nodes.memory()
                .withPropertyValues("safebunny.nod=billing", "safebunny.listener.prefetch=0")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(told(output)).singleElement().asString().contains("[safebunny.nod]");
                });
    }

    @Test
    void areToldWithFileAndLine(CapturedOutput output) {
        String yaml = "safebunny:\n  node: billing\n  listner:\n    prefetch: 3\n";
        Nodes.memory()
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(yaml(yaml)))
                .run(context -> assertThat(told(output))
                        .singleElement()
                        .asString()
                        .contains("[safebunny.listner.prefetch]")
                        .contains("it is set in Byte array resource [billing.yml] - 4:15."));
    }

    private static PropertySource<?> yaml(String text) {
        try {
            return new YamlPropertySourceLoader()
                    .load("billing.yml", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "billing.yml"))
                    .get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "safebunny.listener.trusted-users.billing=bill",
                "safebunny.listener.trustedUsers[a.b]=bill",
                "safebunny.delayed-retry.delays[0]=1s",
                "safebunny.delayedRetry.delays=1s,2s",
                "safebunny.max_message_size=1MB",
                "safebunny.outbox.enabled=false",
                "safebunnyx.node=another",
                "management.endpoint.safebunny.enabled=true",
                "management.endpoint.safebunny.write-roles[0]=OPS",
                "management.endpoint.safebunnypoison.roles=OPS,SUPPORT",
                "management.endpoint.safebunnyui.access=read-only",
                "management.endpoint.safebunnyui.cache.time-to-live=1s",
                "management.endpoint.safebunnyx.access=none"
            })
    void knownOnesAreNotToldHoweverTheyAreWritten(String property, CapturedOutput output) {
        Nodes.memory().withPropertyValues(property).run(context -> assertThat(told(output))
                .isEmpty());
    }

    @Test
    void anEnvironmentVariableIsToldWhenItIsClearlyOurs(CapturedOutput output) {
        Nodes.memory()
                .withInitializer(context -> withVariable(context, "SAFEBUNNY_LISTENER_PREFECTH"))
                .run(context ->
                        assertThat(told(output)).singleElement().asString().contains("SAFEBUNNY_LISTENER_PREFECTH"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SAFEBUNNY_RABBIT_ROOT",
                "SAFEBUNNY_SERVICE_HOST",
                "SAFEBUNNY_PORT_5672_TCP_ADDR",
                "SAFEBUNNY_STORE_JDBC_TRANSACTIONAL",
                "SAFEBUNNY_LISTENER_TRUSTEDUSERS_BILLING",
                "SAFEBUNNY_LISTENER_TRUSTED_USERS_BILLING",
                "SAFEBUNNY_DELAYED_RETRY_DELAYS_0_",
                "SAFEBUNNY_MAXMESSAGESIZE",
                "SAFEBUNNY_MAX_MESSAGE_SIZE"
            })
    void otherEnvironmentVariablesAreNotTold(String variable, CapturedOutput output) {
        Nodes.memory()
                .withInitializer(context -> withVariable(context, variable))
                .run(context -> assertThat(told(output)).isEmpty());
    }

    @Test
    void anAddressWithAPasswordIsToldWithoutIt(CapturedOutput output) {
        Nodes.memory()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(
                                "https://bill:hunter2@config.example/billing.yml", Map.of("safebunny.nod", "x"))))
                .run(context -> {
                    assertThat(told(output)).singleElement().asString().contains("//config.example/billing.yml");
                    assertThat(output).doesNotContain("hunter2");
                });
    }

    @Test
    void nothingIsToldWhereTheMetadataIsMissing(CapturedOutput output) {
        Nodes.memory()
                .withClassLoader(
                        new FilteredClassLoader(new ClassPathResource("META-INF/spring-configuration-metadata.json")))
                .withPropertyValues("safebunny.colour=red")
                .run(context -> assertThat(told(output)).isEmpty());
    }
}
