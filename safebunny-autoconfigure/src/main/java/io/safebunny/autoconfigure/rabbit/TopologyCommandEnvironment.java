// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.rabbit;

import io.safebunny.failure.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * With a topology command, the application opens no port, starts no Spring AMQP listeners, and prints nothing but the result;
 * operators need no further options for that.
 */
final class TopologyCommandEnvironment implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (!TopologyCommand.isAsked(environment)) {
            return;
        }
        if (!environment.getProperty(
                "safebunny.enabled", Boolean.class, true)) { // otherwise the application would run after all
            throw new ConfigurationException(
                    "SB-1301",
                    "No topology to work on [%s=%s]: safebunny.enabled=false switches the node off."
                            .formatted(TopologyCommand.PROPERTY, environment.getProperty(TopologyCommand.PROPERTY)),
                    "Add --safebunny.enabled=true, or remove this option.");
        }
        Map<String, Object> quiet = new HashMap<>();
        quiet.put("spring.main.web-application-type", "none");
        quiet.put("spring.main.banner-mode", "off");
        quiet.put("spring.rabbitmq.listener.simple.auto-startup", false);
        quiet.put("spring.rabbitmq.listener.direct.auto-startup", false);
        quiet.put("spring.rabbitmq.listener.stream.auto-startup", false);
        quiet.put("logging.threshold.console", "error");
        environment.getPropertySources().addFirst(new MapPropertySource("safeBunnyTopologyCommand", quiet));
    }
}
