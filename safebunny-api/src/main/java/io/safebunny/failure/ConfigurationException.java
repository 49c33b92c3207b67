// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** The configuration cannot work, so the application does not start. Nothing was consumed or published. */
public class ConfigurationException extends SafeBunnyException {

    private final String problem;
    private final String action;

    /**
     * @param code stable code
     * @param problem what failed, which one, and why
     * @param action what to change, ready to paste where possible
     */
    public ConfigurationException(String code, String problem, String action) {
        this(code, problem, action, null);
    }

    public ConfigurationException(String code, String problem, String action, @Nullable Throwable cause) {
        super(code, problem + " " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    public final String problem() {
        return problem;
    }

    public final String action() {
        return action;
    }
}
