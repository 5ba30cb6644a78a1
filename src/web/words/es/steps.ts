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
  newInbox: {
    create: 'Crear y copiar dirección',
    addressHint: 'Vacío para una dirección aleatoria.',
    random: 'aleatoria',
    domain: 'Dominio',
    shared: (domain: string) => `${domain} (compartido)`,
    label: 'Nombre',
    labelHint: 'Solo se ve en esta cuenta.',
    labelExample: 'p. ej., prueba de registro',
    public: 'Público',
    publicHint: 'Quien conozca la dirección puede leer sus códigos, enlaces y asuntos sin clave.',
    taken: 'Esta dirección ya está ocupada.',
    own: 'Esta cuenta ya tiene un buzón con esta dirección.',
  },
} satisfies Words['steps'];
