// SPDX-License-Identifier: Apache-2.0
/** What handlers and listeners publish in transactions other than the handling's. */
@NullMarked
package io.safebunny.jdbc.inner;

import org.jspecify.annotations.NullMarked;
