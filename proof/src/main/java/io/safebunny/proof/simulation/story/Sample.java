// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

/** Makes the sample's own handlers, which nobody outside of their packages can name. */
final class Sample {

    private static final String PACKAGES = "io.safebunny.samples.orders.";

    private Sample() {}

    /** @param name of the class below the sample's root package; it has one constructor */
    public static Object handler(String name, Object... arguments) {
        try {
            Constructor<?> constructor = Class.forName(PACKAGES + name).getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e instanceof InvocationTargetException thrown ? thrown.getTargetException() : e;
            throw new IllegalStateException(
                    "The sample has no handler %s any more. Use the name that it has now.".formatted(name), cause);
        }
    }
}
