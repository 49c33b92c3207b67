// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.BunnyHandler;
import io.safebunny.rabbit.RabbitTransportOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    @Test
    void twoHandlersOfOneTypeAreBothNamed(CapturedOutput output) {
        start(TwoHandlers.class, "--safebunny.node=shop");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("SB-1102 Two handlers for one message type [type=OrderPlaced]")
                .contains("first.on(OrderPlaced)")
                .contains("second.on(OrderPlaced)")
                .contains("Action:")
                .contains("Remove one of them");
    }

    @Test
    void missingNodeSaysWhatToSet(CapturedOutput output) {
        start(Empty.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("SB-1302 This node has no name")
                .contains("Set safebunny.node=billing");
    }

    @Test
    void invalidPropertyIsExplainedByUsAndNotByBindingAlone(CapturedOutput output) {
        start(Empty.class, "--safebunny.node=shop", "--safebunny.listener.prefetch=0");

        assertThat(output)
                .contains("SB-1301 Invalid property [safebunny.listener.prefetch=0]: it must be 1 to 2000.")
                .contains("Set safebunny.listener.prefetch to a value in that range");
    }

    @Test
    void unknownChoiceListsTheValidOnes(CapturedOutput output) {
        start(Empty.class, "--safebunny.node=shop", "--safebunny.transport=kafka");

        assertThat(output)
                .contains("Property: safebunny.transport")
                .contains("\"kafka\"")
                .contains("MEMORY", "RABBIT");
    }

    @Test
    void ownOptionsThatDoNotTellTheTrustedUserAreExplained(CapturedOutput output) {
        start(
                OwnOptions.class,
                "--safebunny.node=shop",
                "--safebunny.transport=rabbit",
                "--safebunny.listener.trusted-users.shop=guest");

        assertThat(output)
                .contains("SB-1308 This node is trusted as a user that its messages do not tell")
                .contains("make it with tellsUser=true");
    }

    @Test
    void defaultTypingIsExplained(CapturedOutput output) {
        start(DefaultTyped.class, "--safebunny.node=shop");

        assertThat(output)
                .contains("SB-1310 The JsonMapper of the application cannot be used for messages")
                .contains("default typing")
                .contains("The bean is typed.")
                .contains("Remove activateDefaultTyping");
    }

    @Test
    void payloadWhoseBodyNamesItsClassIsExplained(CapturedOutput output) {
        start(ByClass.class, "--safebunny.node=shop");

        assertThat(output)
                .contains("SB-1110 The payload " + ByClass.AnyEvent.class.getName())
                .contains("use=CLASS")
                .contains("JsonTypeInfo.Id.NAME");
    }

    private static void start(Class<?> application, String... arguments) {
        assertThatThrownBy(() -> new SpringApplicationBuilder(application)
                        .web(WebApplicationType.NONE)
                        .properties("safebunny.transport=memory")
                        .run(arguments))
                .isInstanceOf(Exception.class);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Empty {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TwoHandlers {
        @Bean
        Handler first() {
            return new Handler();
        }

        @Bean
        Handler second() {
            return new Handler();
        }
    }

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OwnOptions {
        @Bean
        RabbitTransportOptions options() {
            return RabbitTransportOptions.defaults();
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class DefaultTyped {
        @Bean
        JsonMapper typed() {
            return JsonMapper.builder()
                    .activateDefaultTyping(BasicPolymorphicTypeValidator.builder()
                            .allowIfSubType(Object.class)
                            .build())
                    .build();
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ByClass {
        @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
        interface AnyEvent {}

        @BunnyHandler(from = "shop")
        void on(AnyEvent payload) {}
    }
}
