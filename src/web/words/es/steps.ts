import type { Words } from '../dictionary.ts';

/** What an empty list shows. */
export default {
  label: 'Primeros pasos',
  noMail: 'Aún no hay correo',
  noMailHere: 'Este buzón no tiene correo',
  waiting: 'A la espera del primer correo',
  aboutTrap:
    'Dirigir la aplicación al servidor SMTP de abajo. Se acepta cualquier dirección, y cada correo aparece aquí en cuanto llega.',
  aboutNew: 'Crear o abrir un buzón para tener una dirección que reciba correo.',
  aboutInbox: 'El correo a esta dirección aparece aquí en cuanto llega.',
  create: 'Crear un buzón',
  reference: 'Referencia de la API',
  send: 'Enviar un correo de prueba',
  sent: (address: string) => `Correo de prueba enviado a ${address}`,
  point: 'Dirigir la aplicación a este servidor',
  replaceKey: 'Sustituir YOUR_API_KEY por una clave de API de esta cuenta (Cuenta, Claves de API).',
  read: 'Leer el código en la prueba',
  wait: 'Esperar el código hasta 25 segundos',
  newest: 'El mensaje más reciente',
  command: 'Comando',
  fields: 'El código está en {code}; un enlace de acceso, en {link}.',
} satisfies Words['steps'];
