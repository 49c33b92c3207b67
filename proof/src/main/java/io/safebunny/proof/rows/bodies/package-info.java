// SPDX-License-Identifier: Apache-2.0
/** The rows of {@code bin/bodies-proof}: encryption, versions and compression, on real brokers and in processes that are killed. */
@NullMarked
package io.safebunny.proof.rows.bodies;

import org.jspecify.annotations.NullMarked;
