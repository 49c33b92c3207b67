// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code safebunny.*} properties: one record per section, with descriptions, defaults and limits. Public only for the other
 * packages of this module; the javadoc becomes the metadata and docs/configuration.md.
 */
@NullMarked
package io.safebunny.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
