// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.aot;

import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.ScheduledMessages;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.Sagas;
import io.safebunny.story.BunnyStory;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/** Registers the resources and classes that SafeBunny itself reads by name, calls by reflection, or makes proxies of. */
final class StarterHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        // the known properties, to report unknown ones
        hints.resources().registerPattern("META-INF/spring-configuration-metadata.json");
        // the files of the page
        hints.resources().registerPattern("io/safebunny/page/**");
        // the beans that look the engine up on the first call
        for (Class<?> type : new Class<?>[] {
            Bunny.class,
            BunnyOperations.class,
            Sagas.class,
            PoisonMessages.class,
            ScheduledMessages.class,
            BunnyStory.class
        }) {
            hints.proxies().registerJdkProxy(type);
            hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        // the settings that SafeBunny's own connections take over
        Method addresses = ReflectionUtils.findMethod(AbstractConnectionFactory.class, "getAddresses");
        if (addresses != null) { // if the method is missing, the node reports it when it starts
            hints.reflection().registerMethod(addresses, ExecutableMode.INVOKE);
        }
    }
}
