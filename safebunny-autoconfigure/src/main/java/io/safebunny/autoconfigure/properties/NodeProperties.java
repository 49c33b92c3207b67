// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.properties;

import io.safebunny.node.SafeBunnyOptions;

/** A section of the properties that configures the node. Sections are applied in no particular order. */
public interface NodeProperties {

    /** Returns the options with the values of this section. The options passed in already have their topology. */
    SafeBunnyOptions applyTo(SafeBunnyOptions options);
}
