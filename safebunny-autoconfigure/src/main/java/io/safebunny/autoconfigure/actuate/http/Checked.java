// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

/**
 * Proof that the parameters of a request were checked. Operations that change something take it as a parameter: only {@link
 * KnownParametersOnly} hands it out, and no request can name it.
 */
public final class Checked {

    static final Checked YES = new Checked();

    private Checked() {}
}
